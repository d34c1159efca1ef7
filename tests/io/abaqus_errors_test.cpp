// Abaqus decks that are wrong, damaged or cut short.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include "io/abaqus_decks.hpp"
#include "quartic/error.hpp"
#include "quartic/mesh.hpp"
#include "support/mesh_reading.hpp"

namespace quartic {
namespace {

using test::DamagedReads;
using test::expect_indices_in_range;
using test::flat_deck;
using test::parts_deck;
using test::replaced;

class AbaqusErrors : public test::AbaqusReading {};

TEST_F(AbaqusErrors, ErrorsNameLineAndEntity) {
  expect_error(replaced(flat_deck, "1.0D+00, 0.", "10.0-1, 0."),
               {"m.txt:6: node 20, field 2: '10.0-1' is not a number"});
  expect_error(replaced(flat_deck, "1.0D+00, 0.", "1.0D+00 0."), {"m.txt:6", "field 2", "is not a number"});
  expect_error(replaced(flat_deck, "1.0D+00, 0.", "<x>, 0."), {"m.txt:6", "'<x>'"});
  expect_error(replaced(flat_deck, " 7, 0., 1., 0.", " 7, 0,5, 1,2, 3,4"), {"m.txt:7: node 7", "decimal commas"});
  expect_error(replaced(flat_deck, " 7, 0., 1., 0.", " 7.5, 0., 1., 0."), {"m.txt:7: a node's row, field 1: '7.5'"});
  expect_error(replaced(flat_deck, " 7, 0., 1., 0.", " 0, 0., 1., 0."), {"m.txt:7", "'0' is not a number from 1 on"});
  expect_error(replaced(flat_deck, " 7, 0., 1., 0.", " 20, 0., 1., 0."), {"m.txt:7: node 20", "second time"});
  expect_error(replaced(flat_deck, "1, 10, 20, 7, 40", "1, 10, 20, 7"),
               {"m.txt:15: element 1 (C3D4) has 3 nodes instead of 4"});
  expect_error(replaced(flat_deck, "1, 10, 20, 7, 40", "1, 10, 20, 7,"),
               {"m.txt:15: element 1 (C3D4) has 3 nodes instead of 4"});
  expect_error(replaced(flat_deck, "1, 10, 20, 7, 40", "1, 10, 20, 7, 40, 8"), {"m.txt:15", "more than 4 nodes: '8'"});
  expect_error(replaced(flat_deck, "1, 10, 20, 7, 40", "1, 10, 20, , 40"), {"m.txt:15", "field 4", "a node's number"});
  expect_error(replaced(flat_deck, "1, 10, 20, 7, 40", "1, 10, 20, 8, 40"),
               {"m.txt:15: element 1 has node 8", "5 nodes"});
  expect_error(replaced(flat_deck, " 5, 20,", " 1, 20,"), {"m.txt:17: element 1 is defined a second time"});
  expect_error(replaced(flat_deck, "TYPE=C3D4", "TIPE=C3D4"), {"m.txt:13: *ELEMENT needs TYPE="});
  expect_error(replaced(flat_deck, "NSET=Nall", "SYSTEM=C"), {"m.txt:4", "SYSTEM=C", "rectangular"});
  for (const char* keyword : {"*NGEN", "*NFILL", "*NCOPY", "*ELGEN", "*ElCopy", "*SYSTEM", "*NMAP"})
    expect_error(replaced(flat_deck, "*NSET, NSET=FIX", std::string(keyword) + ", X=1\n1, 2, 3\n*NSET, NSET=FIX"),
                 {"m.txt:22: ", keyword, "can't be read"});
  expect_error(replaced(flat_deck, "fix, RANGE", "fix, RANG"),
               {"m.txt:28", "'both of them' names the node set 'RANG'"});
  expect_error(replaced(flat_deck, "ELSET=hard\n", "ELSET=soft1\n"), {"m.txt:30", "element set 'soft1'"});
  expect_error(replaced(flat_deck, "7, 20, 13", "20, 7, 13"), {"m.txt:26", "GENERATE"});
  expect_error(replaced(flat_deck, "7, 20, 13", "7, 20, 0"), {"m.txt:26", "GENERATE"});
  expect_error(replaced(flat_deck, "7, 20, 13", "7, 20, 1.5"), {"m.txt:26", "field 3", "'1.5'"});
  expect_error(replaced(flat_deck, " 2.0E6, .45", " 2.0E6, -.4.5"), {"m.txt:35", "'Rubber'", "'-.4.5'"});
  expect_error(replaced(flat_deck, " 2.0E6, .45\n", ""), {"m.txt:34", "'Rubber' has no values"});
  expect_error(replaced(flat_deck, "\"my steel\"", "RUBBER"), {"m.txt:38", "second material"});
  expect_error(replaced(flat_deck, "\"my steel\"", "\"my steel"), {"m.txt:38", "quotation marks"});
  expect_error(replaced(flat_deck, "*MATERIAL, NAME=Rubber\n", ""), {"m.txt:33", "must follow a *MATERIAL"});
  expect_error(replaced(flat_deck, "ELSET=SOFT, ", "ELSET=SOFTER, "), {"m.txt:43", "'SOFTER'"});
  expect_error(replaced(flat_deck, "Fix, 1, 3", "Fox, 1, 3"), {"m.txt:47", "'Fox'"});
  expect_error(replaced(flat_deck, "Fix, 1, 3", "Fix, up"), {"m.txt:47", "'up'"});
  expect_error(replaced(flat_deck, "Fix, 1, 3", "Fix"), {"m.txt:47", "direction"});
  expect_error(replaced(parts_deck, "*End Part\n", ""), {"*PART inside of a *PART", "m.txt:16"});
  expect_error(replaced(parts_deck, "*End Assembly\n", ""), {"m.txt:38", "no *END ASSEMBLY"});
  expect_error(replaced(parts_deck, "part=TET", "part=Ted"), {"m.txt:39", "'Ted'"});
  expect_error(replaced(parts_deck, "name=Tet-2", "name=TET-1"), {"m.txt:41", "second instance"});
  expect_error(replaced(parts_deck, "10., 0., 3., 90.", "10., 0., 0., 90."), {"m.txt:41", "axis"});
  expect_error(replaced(parts_deck, "10., 0., 3., 90.", "10., 0., 3."), {"m.txt:43", "not 6"});
  expect_error(replaced(parts_deck, "instance=Box-1, gen", "instance=Box-2, gen"), {"'Box-2'"});
  expect_error(replaced(parts_deck, "1, 1, 2, 3, 4", "1, 1, 2, 3, 5"), {"m.txt:9", "part 'Tet' has 4 nodes"});
  expect_error(replaced(parts_deck, "*Nset, nset=top\n 4\n", "*Node\n 4, 1, 1, 1\n"),
               {"m.txt:44", "inside of an *INSTANCE"});
  expect_error(parts_deck.substr(0, parts_deck.find("*Elset")), {"no *END PART", "cut short"});
  expect_error(parts_deck.substr(0, parts_deck.find("*Node\n 1, 5.")) + "*Instance, name=x, part=Tet\n",
               {"no *END INSTANCE"});
}

// Whatever happens to a file, the reader returns a mesh whose indices are good or says what is wrong.
TEST_F(AbaqusErrors, SurvivesBeingCutAnywhere) {
  for (const std::string& file : {flat_deck, parts_deck})
    for (std::size_t size = 0; size < file.size(); size += 3) {
      try {
        expect_indices_in_range(read(file.substr(0, size)));
      } catch (const Error&) {
      }
    }
}

TEST_F(AbaqusErrors, SurvivesDamage) {
  std::mt19937_64 engine(11);
  DamagedReads damaged;
  for (const std::string& file : {flat_deck, parts_deck})
    for (int n = 0; n < 400; ++n) {
      std::string text = file;
      for (auto times = 1 + engine() % 3; times > 0; --times) {
        const std::size_t at = engine() % text.size();
        constexpr std::string_view telling = "0123456789+-.eD,=* \n\r\"\xFF";
        const std::size_t line = text.rfind('\n', at) + 1;  // 0 in the first line
        const std::size_t length = text.find('\n', at) - line;
        switch (engine() % 5) {
          case 0:
            text.erase(at, 1 + engine() % 20);
            break;
          case 1:
            text.erase(line, length);
            break;
          case 2:
            text.insert(line, text.substr(line, length) + "\n");
            break;
          case 3:
            text.insert(at, text.substr(engine() % text.size(), engine() % 40));
            break;
          default:
            text[at] = telling[engine() % telling.size()];
        }
        if (text.empty()) break;
      }
      damaged.take([&] { return read(text); });
    }
  EXPECT_GT(damaged.read, 100);
  EXPECT_GT(damaged.refused, 100);
}

// A chain of sets would take quadratic time.
TEST_F(AbaqusErrors, SetsThatNameEachOtherInLongChainsAreRefused) {
  std::string deck = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n*NSET,NSET=S0\n1,2\n";
  for (int i = 1; i < 2100; ++i) deck += "*NSET,NSET=S" + std::to_string(i) + "\nS" + std::to_string(i - 1) + "\n";
  expect_error(deck, {"sets name each other"});
}

TEST_F(AbaqusErrors, AnUnfinishedLastLineIsTold) {
  const std::string deck = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4";
  EXPECT_TRUE(read(deck + "\n").warnings.empty());
  ASSERT_EQ(read(deck).warnings.size(), 1U);
  EXPECT_NE(read(deck).warnings[0].find("may be cut"), std::string::npos);
}

}  // namespace
}  // namespace quartic
