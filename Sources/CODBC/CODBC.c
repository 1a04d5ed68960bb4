#include "CODBC.h"
