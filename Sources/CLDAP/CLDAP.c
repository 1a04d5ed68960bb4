#include "CLDAP.h"
