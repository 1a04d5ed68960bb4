#include "CLibCurl.h"

typedef CURLcode (*variadic_setopt)(CURL *, CURLoption, ...);
typedef CURLcode (*variadic_getinfo)(CURL *, CURLINFO, ...);

CURLcode gf_curl_set_long(gf_curl_setopt setopt, CURL *handle, CURLoption option, long value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

CURLcode gf_curl_set_offset(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_off_t value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

CURLcode gf_curl_set_string(gf_curl_setopt setopt, CURL *handle, CURLoption option, const char *value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

CURLcode gf_curl_set_pointer(gf_curl_setopt setopt, CURL *handle, CURLoption option, void *value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

CURLcode gf_curl_set_list(gf_curl_setopt setopt, CURL *handle, CURLoption option, struct curl_slist *value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

CURLcode gf_curl_set_write(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_write_callback value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

CURLcode gf_curl_set_read(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_read_callback value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

CURLcode gf_curl_set_progress(gf_curl_setopt setopt, CURL *handle, CURLoption option, curl_xferinfo_callback value) {
    return ((variadic_setopt)setopt)(handle, option, value);
}

long gf_curl_get_long(gf_curl_getinfo getinfo, CURL *handle, CURLINFO info) {
    long value = 0;
    return ((variadic_getinfo)getinfo)(handle, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t gf_curl_get_offset(gf_curl_getinfo getinfo, CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    return ((variadic_getinfo)getinfo)(handle, info, &value) == CURLE_OK ? value : 0;
}
