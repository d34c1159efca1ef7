// Marks what libquartic shows to the outside; everything else is hidden.
#pragma once

#define QUARTIC_EXPORT __attribute__((visibility("default")))
