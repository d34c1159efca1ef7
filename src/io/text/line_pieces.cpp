#include "io/text/line_pieces.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/thread_pool.hpp"

namespace quartic::io {
namespace {

constexpr std::int64_t piece_bytes = 1 << 18;
constexpr std::size_t longest_number = 32;

// In lanes of bytes, which compilers make vectors of.
std::int64_t count_line_ends(const char* begin, const char* end) {
  constexpr std::size_t lane_count = 32, most_rounds = 255;
  std::int64_t count = 0;
  while (end - begin >= std::ptrdiff_t{lane_count}) {
    const std::size_t rounds = std::min(static_cast<std::size_t>(end - begin) / lane_count, most_rounds);
    std::array<std::uint8_t, lane_count> lanes{};
    for (std::size_t round = 0; round < rounds; ++round, begin += lane_count)
      for (std::size_t lane = 0; lane < lane_count; ++lane)
        lanes[lane] = static_cast<std::uint8_t>(lanes[lane] + (begin[lane] == '\n'));
    count = std::accumulate(lanes.begin(), lanes.end(), count);
  }
  return count + std::count(begin, end, '\n');
}

// Behind the n-th line end from there on, n >= 1; there are as many.
const char* behind_line_end(const char* position, const char* end, std::int64_t n) {
  for (; n > 0; --n) position = std::find(position, end, '\n') + 1;
  return position;
}

const char* behind_last_line_end(const char* begin, const char* end) {
  while (end != begin && end[-1] != '\n') --end;
  return end;
}

}  // namespace

std::vector<LinePiece> pieces_of_lines(const char* begin, const char* end, std::int64_t count, std::size_t width) {
  // A file's many blocks must not each have the whole rest looked through.
  const auto longest_line = static_cast<std::int64_t>(width * longest_number);
  if (count < fewest_lines_for_threads || count > end - begin) return {};
  if (longest_line < (end - begin) / count) end = begin + count * longest_line;
  const std::int64_t parts = (end - begin + piece_bytes - 1) / piece_bytes;
  const auto part = [&](std::int64_t n) { return n < parts ? begin + n * piece_bytes : end; };
  std::vector<std::int64_t> ends(static_cast<std::size_t>(parts));
  parallel_for(parts,
               [&](std::int64_t n) { ends[static_cast<std::size_t>(n)] = count_line_ends(part(n), part(n + 1)); });
  std::vector<LinePiece> pieces;
  std::int64_t lines = 0;
  const char* position = begin;
  for (std::int64_t n = 0; n < parts && lines < count; ++n) {
    const std::int64_t here = std::min(ends[static_cast<std::size_t>(n)], count - lines);
    if (here == 0) continue;
    const bool is_last = lines + here == count;
    const char* stop =
        is_last ? behind_line_end(part(n), part(n + 1), here) : behind_last_line_end(part(n), part(n + 1));
    pieces.push_back({position, stop, lines});
    lines += here;
    position = stop;
  }
  if (lines < count) pieces.clear();
  return pieces;
}

}  // namespace quartic::io
