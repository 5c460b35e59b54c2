/* The header alone, as the first thing a translation unit sees, in the oldest C it supports. */
#include <komadori.h>

int komadori_header_is_enough(void) { return KMD_OK; }
