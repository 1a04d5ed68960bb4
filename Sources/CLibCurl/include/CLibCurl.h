#pragma once
#include <curl/curl.h>

/* libcurl is loaded at run time, and its two functions that take any kind of argument can not be called from Swift: here they
   are called, through the pointer that was found, with one kind each. Swift knows pointers only to functions without such
   arguments, so these types leave them out. */
typedef void (*gf_curl_setopt)(void);
typedef void (*gf_curl_getinfo)(void);

/* Macros that Swift can not read. */
enum {
    gf_curl_auth_password = CURLAUTH_BASIC | CURLAUTH_DIGEST,
    gf_curl_auth_bearer = CURLAUTH_BEARER,
};

CURLcode gf_curl_set_long(gf_curl_setopt setopt, CURL *handle, CURLoption option, long value);
CURLcode gf_curl_set_offset(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_off_t value);
CURLcode gf_curl_set_string(gf_curl_setopt setopt, CURL *handle, CURLoption option, const char *value);
CURLcode gf_curl_set_pointer(gf_curl_setopt setopt, CURL *handle, CURLoption option, void *value);
CURLcode gf_curl_set_list(gf_curl_setopt setopt, CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode gf_curl_set_write(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_write_callback value);
CURLcode gf_curl_set_read(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_read_callback value);
CURLcode gf_curl_set_progress(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_xferinfo_callback value);

/* What can not be told is 0. */
long gf_curl_get_long(gf_curl_getinfo getinfo, CURL *handle, CURLINFO info);
curl_off_t gf_curl_get_offset(gf_curl_getinfo getinfo, CURL *handle, CURLINFO info);
