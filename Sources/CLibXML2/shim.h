#pragma once
#include <libxml/xmlversion.h>
// Debian's libxml2 would pull in ICU's headers, whose types clash with those of Foundation's own copy of ICU. All they
// add is two members of a structure of encodings that Swift never looks into.
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlschemastypes.h>
#include <libxml/xmlwriter.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

/* xmlFree is a variable that a program may set, which Swift can not know to be safe. */
static inline void clibxml2_free(void *memory) { xmlFree(memory); }

static inline void clibxml2_ignore(void *context, const char *message, ...) {
    (void)context;
    (void)message;
}

/* What libxml2 has no place for it prints; here it does not, on no thread. Errors are returned all the same. */
static inline void clibxml2_silence(void) {
    xmlSetGenericErrorFunc(NULL, clibxml2_ignore);
    xmlThrDefSetGenericErrorFunc(NULL, clibxml2_ignore);
}
