#include "CArgon2.h"
