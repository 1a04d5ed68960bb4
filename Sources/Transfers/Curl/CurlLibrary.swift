import CLibCurl
import SharedLibraries

/// The functions of libcurl, loaded once.
struct CurlLibrary: Sendable {
    typealias Handle = UnsafeMutableRawPointer

    let easyInit: @convention(c) () -> Handle?
    let perform: @convention(c) (Handle?) -> CURLcode
    let cleanup: @convention(c) (Handle?) -> Void
    let setopt: gf_curl_setopt
    let getinfo: gf_curl_getinfo
    let errorText: @convention(c) (CURLcode) -> UnsafePointer<CChar>?
    let append:
        @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?)
            -> UnsafeMutablePointer<curl_slist>?
    let free: @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void

    /// The library, loaded and initialised at the first use, once per process. libcurl requires its global
    /// initialisation before any thread uses it.
    static let loaded = Result<CurlLibrary, SharedLibraryError> { () throws(SharedLibraryError) in try CurlLibrary() }

    private init() throws(SharedLibraryError) {
        let library = try SharedLibrary("libcurl.so.4", "libcurl.4.dylib", package: "libcurl4")
        easyInit = try library.function("curl_easy_init")
        perform = try library.function("curl_easy_perform")
        cleanup = try library.function("curl_easy_cleanup")
        setopt = try library.function("curl_easy_setopt")
        getinfo = try library.function("curl_easy_getinfo")
        errorText = try library.function("curl_easy_strerror")
        append = try library.function("curl_slist_append")
        free = try library.function("curl_slist_free_all")
        let setUp = try library.function(
            "curl_global_init", as: (@convention(c) (CLong) -> CURLcode).self)
        _ = setUp(CLong(CURL_GLOBAL_ALL))
    }
}
