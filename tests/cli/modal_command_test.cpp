// The command's linear modes: simulate --dynamics modal, and sound.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "quartic/checkpoint.hpp"
#include "quartic/error.hpp"
#include "quartic/modal_batch.hpp"
#include "quartic/model.hpp"
#include "quartic/procedural.hpp"
#include "quartic/trajectory.hpp"
#include "support/command.hpp"

namespace quartic {
namespace {

using test::CommandResult;
using test::run_quartic;

class ModalCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    const auto [mesh, fixed] = make_box({.length = 0.3, .width = 0.03, .height = 0.02, .cells_x = 6});
    save_model(reduce(mesh, fixed, {.modes = 6, .energy = false}), *folder_ / "modes.qrt");
    save_model(reduce(mesh, fixed, {.modes = 6, .rank = 3}), *folder_ / "bar.qrt");
    save_model(reduce(mesh, {}, {.modes = 6, .energy = false}), *folder_ / "free.qrt");
    save_model(reduce(mesh, {}, {.modes = 10, .rank = 4}), *folder_ / "dropped.qrt");
    ReducedModel drawn = load_model(*folder_ / "bar.qrt");
    drawn.surface = boundary_surface(drawn.mesh);
    save_model(drawn, *folder_ / "drawn.qrt");
    ReducedModel none = load_model(*folder_ / "bar.qrt");
    none.eigenvalues.clear(), none.linear_modes = {};
    save_model(none, *folder_ / "edited.qrt");
  }
  static void TearDownTestSuite() { delete folder_; }
  static CommandResult run(const std::string& arguments) { return run_quartic(folder_->path(), arguments); }
  static CommandResult done(const std::string& arguments) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.errors;
    return result;
  }
  static void refused(const std::string& arguments, int exit_code, const std::string& words) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << arguments << '\n' << result.errors;
    EXPECT_NE(result.errors.find(words), std::string::npos) << arguments << '\n' << result.errors;
  }
  static inline test::TemporaryFolder* folder_ = nullptr;
};

TEST_F(ModalCommand, SimulatesExactly) {
  const std::string load = " --gravity 0,0,-9.81 --t60 100,0.5,3000,0.05 --bodies 2 --dt 0.003 --steps 20 ";
  const nlohmann::json json = done("simulate modes.qrt --dynamics modal --json -o a.qtraj" + load).json();
  EXPECT_EQ(json["dynamics"], "modal");
  EXPECT_EQ(json["rank"], 6);
  const Trajectory motion = load_trajectory(*folder_ / "a.qtraj");
  EXPECT_EQ(motion.coordinates, Coordinates::linear_modes);
  EXPECT_EQ(motion.bodies, 2);

  const ReducedModel model = load_model(*folder_ / "modes.qrt");
  const DecayTime times[] = {{100, 0.5}, {3000, 0.05}};
  const RayleighDamping damping = rayleigh_damping(times);
  ModalBatch<double> batch(model.eigenvalues, {.rayleigh_mass = damping.mass, .rayleigh_stiffness = damping.stiffness});
  for (std::int64_t i = 0; i < 6; ++i) batch.force()(i, 0) = -9.81 * model.unit_acceleration(i, 2);
  batch.advance(0.06);
  for (std::int64_t i = 0; i < 6; ++i)
    EXPECT_NEAR(motion.q[static_cast<std::size_t>(20 * 12 + 6 + i)], batch.q()(i, 0),
                1e-11 * std::abs(batch.q()(0, 0)));

  // The same modes of a reduced model, with other substeps, and from a checkpoint.
  (void)done("simulate bar.qrt --dynamics modal --substeps 7 -o b.qtraj" + load);
  const Trajectory other = load_trajectory(*folder_ / "b.qtraj");
  for (std::size_t n = 0; n < motion.q.size(); ++n) EXPECT_NEAR(std::abs(other.q[n]), std::abs(motion.q[n]), 1e-9);
  const std::string damped = " --gravity 0,0,-9.81 --rayleigh-mass 2 --dt 0.003 --steps ";
  (void)done("simulate modes.qrt --dynamics modal -o whole.qtraj" + damped + "8");
  (void)done("simulate modes.qrt --dynamics modal --checkpoint half.qstate" + damped + "4");
  (void)done("simulate modes.qrt --dynamics modal --resume half.qstate -o rest.qtraj" + damped + "4");
  const std::vector<double> whole = load_trajectory(*folder_ / "whole.qtraj").q;
  EXPECT_EQ(load_trajectory(*folder_ / "rest.qtraj").q, std::vector<double>(whole.begin() + 4 * 6, whole.end()));
  refused("simulate modes.qrt --dynamics modal --resume half.qstate -o rest.qtraj", 1, "same damping");
}

// Newmark's method begins without an acceleration: under a load that is there at once, it comes closer in proportion to
// its steps.
TEST_F(ModalCommand, ExponentialStepsAreWhatNewmarkConvergesTo) {
  const std::string run = "simulate bar.qrt --gravity 0,0,-9.81 --dt 0.001 --steps 40 ";
  (void)done(run + "--integrator exponential --substeps 40 -o exponential.qtraj");
  const Trajectory motion = load_trajectory(*folder_ / "exponential.qtraj");
  const auto difference = [&](int substeps) {
    (void)done(run + "--integrator newmark --substeps " + std::to_string(substeps) + " -o newmark.qtraj");
    const Trajectory newmark = load_trajectory(*folder_ / "newmark.qtraj");
    EXPECT_EQ(newmark.q.size(), motion.q.size());
    double largest = 0, size = 0;
    for (std::size_t n = 0; n < newmark.q.size(); ++n) {
      largest = std::max(largest, std::abs(newmark.q[n] - motion.q[n]));
      size = std::max(size, std::abs(motion.q[n]));
    }
    return largest / size;
  };
  const double coarse = difference(160), fine = difference(640);
  EXPECT_LT(coarse, 2e-4);
  EXPECT_LT(fine, coarse / 3);
  refused(run + "--integrator exponential --backend cuda -o x.qtraj", 1, "CPU");
}

TEST_F(ModalCommand, CheckpointsGoOnBitByBit) {
  const ReducedModel model = load_model(*folder_ / "modes.qrt");
  const ModalOptions options{.bodies = 3, .rayleigh_mass = 2, .damping_ratios = {}, .hold = ForceHold::first_order};
  ModalBatch<float> batch(model.eigenvalues, options), resumed(model.eigenvalues, options);
  for (std::int64_t i = 0; i < 6; ++i) batch.force()(i, 1) = static_cast<float>(i + 1);
  batch.step(0.01);
  save_checkpoint(batch, *folder_ / "c.qstate");
  EXPECT_TRUE(load_checkpoint(resumed, *folder_ / "c.qstate").empty());
  batch.step(0.013);
  resumed.step(0.013);
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(resumed.q()(i, b), batch.q()(i, b));
  EXPECT_EQ(resumed.time(), batch.time());
  // Of other bodies, damping, precision; of a Batch; while impulses wait.
  ModalBatch<float> fewer(model.eigenvalues, {.bodies = 2, .rayleigh_mass = 2, .damping_ratios = {}});
  ModalBatch<float> undamped(model.eigenvalues, {.bodies = 3, .damping_ratios = {}});
  ModalBatch<double> doubles(model.eigenvalues, {.bodies = 3, .rayleigh_mass = 2, .damping_ratios = {}});
  EXPECT_THROW(load_checkpoint(fewer, *folder_ / "c.qstate"), InputError);
  EXPECT_THROW(load_checkpoint(undamped, *folder_ / "c.qstate"), InputError);
  EXPECT_THROW(load_checkpoint(doubles, *folder_ / "c.qstate"), InputError);
  const ReducedModel bar = load_model(*folder_ / "bar.qrt");
  Batch<float> reduced(bar.energy, {.bodies = 3});
  EXPECT_THROW(load_checkpoint(reduced, *folder_ / "c.qstate"), InputError);
  save_checkpoint(reduced, *folder_ / "r.qstate");
  EXPECT_THROW(load_checkpoint(batch, *folder_ / "r.qstate"), ParseError);
  batch.impulse(0, std::vector<double>(6, 1.0), 1);
  EXPECT_THROW(save_checkpoint(batch, *folder_ / "d.qstate"), InputError);
}

TEST_F(ModalCommand, OtherProgramsGetTheMotion) {
  (void)done(
      "simulate modes.qrt --dynamics modal --gravity 0,0,-9.81 --steps 5 -o m.qtraj -o m.glb -o m.usda -o m.csv "
      "-o m.pvd -o m.pc2 --plot m.svg");
  (void)done("export modes.qrt m.qtraj -o again.glb -o again.usda -o again.csv");
  EXPECT_EQ(test::file_text(*folder_ / "again.csv"), test::file_text(*folder_ / "m.csv"));
  EXPECT_EQ(test::file_text(*folder_ / "again.usda"), test::file_text(*folder_ / "m.usda"));
  const Trajectory motion = load_trajectory(*folder_ / "m.qtraj");
  const ReducedModel bar = load_model(*folder_ / "bar.qrt");
  EXPECT_THROW(write_glb(bar, motion, *folder_ / "n.glb"), InputError);
  write_glb(modal_model(bar), motion, *folder_ / "n.glb");
  EXPECT_THROW((void)modal_model(load_model(*folder_ / "edited.qrt")), InputError);
}

TEST_F(ModalCommand, OptionsOfOtherDynamicsAreRefused) {
  const std::string modal = "simulate modes.qrt --dynamics modal -o x.qtraj ";
  refused(modal + "--integrator newmark", 2, "--dynamics reduced");
  refused(modal + "--start equilibrium", 2, "--dynamics reduced");
  refused(modal + "--t60 100", 2, "pairs");
  refused(modal + "--t60 ''", 2, "--t60: it has no numbers");
  refused(modal + "--t60 100,1,1000,2", 1, "negative stiffness damping");
  refused(modal + "--t60 100,1,1000,0.001", 1, "negative mass damping");
  refused("simulate bar.qrt --t60 100,1 -o x.qtraj", 2, "--damping-ratios");
  refused("simulate free.qrt --dynamics modal -o x.qtraj", 1, "--hold-frame");
  (void)done("simulate free.qrt --dynamics modal --hold-frame --steps 3 -o x.qtraj");
  refused("simulate edited.qrt --dynamics modal -o x.qtraj", 1, "reduce again");
}

// Two vertices leave a rigid motion: neither held nor free.
TEST_F(ModalCommand, PartlyHeldBodiesAreRefusedByAllDynamics) {
  const auto [mesh, fixed] = make_box({.length = 0.3, .width = 0.03, .height = 0.02, .cells_x = 6});
  const ReducedModel partly = reduce(mesh, std::vector<std::int32_t>{0, 1}, {.modes = 6, .rank = 3});
  ASSERT_GT(partly.rigid_modes, 0);
  save_model(partly, *folder_ / "partly.qrt");
  for (const std::string options : {"", "--dynamics modal ", "--integrator exponential "}) {
    refused("simulate partly.qrt --steps 2 -o x.qtraj " + options, 1, "that its fixed vertices don't hold");
    (void)done("simulate partly.qrt --steps 2 --dt 1e-5 --hold-frame -o x.qtraj " + options);
  }
}

TEST_F(ModalCommand, CheckpointsOfOtherRunsNameTheOption) {
  (void)done("simulate bar.qrt --dynamics modal --steps 2 --checkpoint modal.qstate");
  refused("simulate bar.qrt --resume modal.qstate --steps 2 -o x.qtraj", 1, "go on with --dynamics modal");
  (void)done("simulate bar.qrt --modal-damping 0.1 --steps 2 --checkpoint damped.qstate");
  refused("simulate bar.qrt --resume damped.qstate --steps 2 -o x.qtraj", 1, "--modal-damping");
}

TEST_F(ModalCommand, LoadsBeyondNumbersDiverge) {
  refused("simulate modes.qrt --dynamics modal --force 50,0,0,5e300 --steps 3 -o x.qtraj", 3, "Use a smaller load");
  const CommandResult late = done("simulate modes.qrt --dynamics modal --force 50,0,0,1,-2,-1 --steps 3 -o x.qtraj");
  EXPECT_NE(late.errors.find("ends at -1 s"), std::string::npos) << late.errors;
}

TEST_F(ModalCommand, SoundsWithoutEffectAreTold) {
  const std::string sound = "sound modes.qrt --duration 0.1 -o x.wav --rayleigh-mass 5 ";
  EXPECT_NE(done(sound + "--strike 50,0,0,1 --strike 50,0,0,1,0.2").errors.find("1 strike comes after the end"),
            std::string::npos);
  std::ofstream(*folder_ / "long.csv") << "0,50,0,0,1\n0.3,50,0,0,1\n";
  EXPECT_NE(done(sound + "--forces long.csv").errors.find("goes on until 0.3 s"), std::string::npos);
  refused(sound + "--strike 50,0,0,1 --gain nan", 2, "--gain");
  refused("sound modes.qrt --strike 50,0,0,1 -o x.wav --t60 ''", 2, "--t60: it has no numbers");
  std::ofstream(*folder_ / "three.txt") << "1 2 3\n";
  refused(sound + "--strike 50,0,0,1 --weights three.txt", 1, "three.txt: its lines have 3 numbers");
}

TEST_F(ModalCommand, Sounds) {
  const nlohmann::json json = done(
                                  "sound modes.qrt --strike 50,0,0,-0.1,0.01,0.001 --strike 60,0,0.1,0 --t60 100,1 "
                                  "--weights pickup:60,0,0,1 --weights pickup:60,0,1,0 --rate 22050 --duration 0.5 "
                                  "--pcm 24 --plot s.svg --json -o s.wav")
                                  .json();
  EXPECT_EQ(json["channels"], 2);
  EXPECT_EQ(json["frames"], 11025);
  EXPECT_EQ(json["clipped"], 0);
  EXPECT_NEAR(json["peak"], 0.89, 1e-6);
  EXPECT_EQ(std::filesystem::file_size(*folder_ / "s.wav"), 44U + 11025 * 6);
  EXPECT_TRUE(std::filesystem::exists(*folder_ / "s.svg"));
  std::ofstream(*folder_ / "f.csv") << "time,vertex,fx,fy,fz\n0,50,0,0,0\n0.001,50,0,0,9\n0.002,50,0,0,0\n";
  (void)done("sound bar.qrt --forces f.csv --rayleigh-mass 3 --weights monopole:1 --gain 1e3 -o f.wav");
}

TEST_F(ModalCommand, PickupsAndListenersMove) {
  const auto peak = [](const std::string& weights) {
    return done("sound bar.qrt --strike 20,0,0,-0.1 --t60 100,1 --duration 0.1 --gain 1 --json -o m.wav " + weights)
        .json()["peak"]
        .get<double>();
  };
  std::ofstream(*folder_ / "slide.csv") << "# time,vertex,dx,dy,dz\n0,60,0,0,1\n0.05,61,0,0,1\n";
  std::ofstream(*folder_ / "stay.csv") << "0,60,0,0,1\n0.05,60,0,0,2\n";  // of unit length both times
  EXPECT_DOUBLE_EQ(peak("--weights pickup:stay.csv"), peak("--weights pickup:60,0,0,1"));
  EXPECT_NE(peak("--weights pickup:slide.csv"), peak("--weights pickup:60,0,0,1"));
  std::ofstream(*folder_ / "walk.csv") << "time,x,y,z\n0,10,0,0\n0.1,20,0,0\n";
  EXPECT_LT(peak("--weights monopole:walk.csv"), peak("--weights monopole:9"));
  std::ofstream(*folder_ / "w.txt") << "time 0\n1 1 1 1 1 1\ntime 0.1\n0 0 0 0 0 0\n";
  EXPECT_LT(peak("--weights w.txt"), peak("--weights constant"));
  EXPECT_GT(peak("--weights w.txt"), 0);
  std::ofstream(*folder_ / "two.csv") << "0,60,0,0,1\n0,61,0,0,1\n";
  refused("sound bar.qrt --strike 20,0,0,1 --weights pickup:two.csv -o m.wav", 1, "one vertex at a time");
  refused("sound bar.qrt --strike 20,0,0,1 --weights monopole:none.csv -o m.wav", 1, "none.csv");
  refused("sound bar.qrt --strike 20,0,0,1 --weights monopole:m.wav -o m.wav", 2, "m.wav");
}

TEST_F(ModalCommand, SurfacesAreStruck) {
  const SurfaceEmbedding surface = load_model(*folder_ / "drawn.qrt").surface.value();
  const auto peak = [](const std::string& what) {
    return done("sound drawn.qrt --t60 100,1 --duration 0.05 --gain 1 --json -o m.wav " + what).json()["peak"];
  };
  const std::int32_t last = static_cast<std::int32_t>(surface.vertex_count()) - 1;
  const std::string on_surface = std::to_string(last),
                    on_mesh = std::to_string(surface.volume_vertices[static_cast<std::size_t>(last)]);
  EXPECT_EQ(peak("--on-surface --strike " + on_surface + ",0,0,1 --weights pickup:" + on_surface + ",0,0,1"),
            peak("--strike " + on_mesh + ",0,0,1 --weights pickup:" + on_mesh + ",0,0,1"));
  refused("sound drawn.qrt --on-surface --strike " + std::to_string(last + 1) + ",0,0,1 -o m.wav", 1,
          "embedded surface has vertices");
  refused("sound bar.qrt --on-surface --strike 1,0,0,1 -o m.wav", 1, "no embedded surface");
}

TEST_F(ModalCommand, ContactsSound) {
  const std::string drop =
      "simulate dropped.qrt --pose 0,0,0.05,0,0,0,1 --gravity 0,0,-9.81 --ground --contact-stiffness 1e8 "
      "--integrator backward-euler --dt 0.001 --steps 150 ";
  (void)done(drop + "--contacts c.csv -o drop.qtraj");
  (void)done(drop + "-o plain.qtraj");
  EXPECT_EQ(load_trajectory(*folder_ / "drop.qtraj").q, load_trajectory(*folder_ / "plain.qtraj").q);
  const nlohmann::json json =
      done("sound dropped.qrt --contacts c.csv --t60 500,1 --duration 0.3 --gain 1 --json -o m.wav").json();
  EXPECT_GT(json["peak"], 0);
  EXPECT_EQ(done("sound dropped.qrt --contacts c.csv --body 0 --t60 500,1 --duration 0.3 --gain 1 --json -o m.wav")
                .json()["peak"],
            json["peak"]);
  refused("sound dropped.qrt --contacts c.csv --body 1 -o m.wav", 1, "nothing sounds");
  std::ofstream(*folder_ / "other.csv") << "0,0.001,0,0,99999,0,0,0,0,0,1\n";
  refused("sound dropped.qrt --contacts other.csv -o m.wav", 1, "point 99999");
  refused("simulate dropped.qrt --contacts c.csv --steps 2 -o x.qtraj", 2, "something to touch");
  refused("sound dropped.qrt --strike 1,0,0,1 --body 0 -o m.wav", 2, "--contacts");
}

#ifdef QUARTIC_HAS_PLAYER
/// The numbers of a file from a byte on.
std::vector<float> floats_of(const std::filesystem::path& path, std::streamoff first) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(first);
  std::vector<float> numbers;
  for (float x = 0; file.read(reinterpret_cast<char*>(&x), sizeof x);) numbers.push_back(x);
  return numbers;
}

TEST_F(ModalCommand, PlaysWhatIsInTheFile) {
  const std::string sound = "sound modes.qrt --strike 50,0,0,-0.1 --t60 100,1 --duration 0.3 ";
  const CommandResult played = run_quartic(folder_->path(), sound + "--play -o played.wav",
                                           "export SDL_AUDIODRIVER=disk SDL_DISKAUDIOFILE=played.raw;");
  ASSERT_EQ(played.exit_code, 0) << played.errors;
  const std::vector<float> samples = floats_of(*folder_ / "played.raw", 0),
                           written = floats_of(*folder_ / "played.wav", 58);  // behind the headers of floats
  ASSERT_EQ(written.size(), 13230U);
  // The device is silent before and after.
  const auto loud = [](float x) { return x != 0; };
  const auto first = std::ranges::find_if(samples, loud), first_written = std::ranges::find_if(written, loud);
  ASSERT_GE(samples.end() - first, written.end() - first_written);
  EXPECT_TRUE(std::equal(first_written, written.end(), first));
  EXPECT_TRUE(std::none_of(first + (written.end() - first_written), samples.end(), loud));
  EXPECT_EQ(run_quartic(folder_->path(), sound + "--play", "export SDL_AUDIODRIVER=dummy;").exit_code, 0);
  const CommandResult none = run_quartic(folder_->path(), sound + "--play -o kept.wav", "export SDL_AUDIODRIVER=none;");
  EXPECT_EQ(none.exit_code, 4);
  EXPECT_NE(none.errors.find("-o"), std::string::npos) << none.errors;
  EXPECT_TRUE(std::filesystem::exists(*folder_ / "kept.wav"));
}
#else
TEST_F(ModalCommand, SaysThatItPlaysNothing) {
  refused("sound modes.qrt --strike 50,0,0,-0.1 --t60 100,1 --duration 0.1 --play", 4, "libsdl2-dev");
}
#endif

TEST_F(ModalCommand, WrongSoundsAreRefused) {
  refused("sound modes.qrt --strike 50,0,0,-0.1", 2, "--play");
  refused("sound modes.qrt -o s.wav", 2, "--strike");
  refused("sound edited.qrt --strike 1,0,0,1 -o s.wav", 1, "reduce again");
  refused("sound modes.qrt --strike 1,0,0 -o s.wav", 2, "--strike takes");
  refused("sound modes.qrt --strike 9999,0,0,1 -o s.wav", 1, "no such vertex");
  refused("sound modes.qrt --strike 1,0,0,nan -o s.wav", 2, "nan");
  refused("sound modes.qrt --strike 1,0,0,1,-1 -o s.wav", 1, "before the sound begins");
  refused("sound modes.qrt --strike 1,0,0,1,0,-1 -o s.wav", 1, "can't be negative");
  refused("sound modes.qrt --strike 1,0,0,1 --rate 7000 -o s.wav", 1, "8000");
  refused("sound modes.qrt --strike 1,0,0,1 --rate 400000 -o s.wav", 1, "384000");
  refused("sound modes.qrt --strike 1,0,0,1 --t60 100,1,1000,3 -o s.wav", 1, "negative");
  refused("sound modes.qrt --strike 1,0,0,1 -o s.mp3", 2, ".wav");
  refused("sound modes.qrt --strike 1,0,0,1 --weights pickup:1,0,0 -o s.wav", 2, "pickup");
  refused("sound modes.qrt --strike 1,0,0,1 --weights none.txt -o s.wav", 1, "none.txt");
  std::ofstream(*folder_ / "back.csv") << "1,50,0,0,0\n0,50,0,0,1\n";
  refused("sound modes.qrt --forces back.csv -o s.wav", 1, "ascend");
  const CommandResult fixed = done("sound modes.qrt --strike 0,0,0,1 --duration 0.01 -o s.wav");
  EXPECT_NE(fixed.errors.find("vertex 0 is fixed"), std::string::npos) << fixed.errors;
  EXPECT_NE(fixed.errors.find("rings for ever"), std::string::npos) << fixed.errors;
}

}  // namespace
}  // namespace quartic
