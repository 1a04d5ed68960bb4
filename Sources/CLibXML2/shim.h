#pragma once
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlversion.h>
#include <libxml/xmlwriter.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

/* xmlFree is a variable that a program may set, which Swift can not know to be safe. */
static inline void clibxml2_free(void *memory) { xmlFree(memory); }
