// Marks the symbols that libquartic exports; all others are hidden.
#pragma once

#define QUARTIC_EXPORT __attribute__((visibility("default")))
