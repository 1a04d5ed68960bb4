/// The media type of a file by its extension.
///
/// `pugpigpkg` is the package manifest's own type; `hpub` is a ZIP archive.
///
/// Source: Content feeds, “Acquisition links”.
enum ContentType {
    static let unknown = "application/octet-stream"

    static func of(fileName: String) -> String {
        guard let dot = fileName.lastIndex(of: ".") else { return unknown }
        return types[fileName[fileName.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let types = [
        "zip": "application/zip", "hpub": "application/zip", "epub": "application/epub+zip",
        "pugpigpkg": "application/pugpigpkg+xml", "gz": "application/gzip",
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "xhtml": "application/xhtml+xml; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
        "json": "application/json", "webmanifest": "application/manifest+json",
        "xml": "application/xml; charset=utf-8", "atom": "application/atom+xml; charset=utf-8",
        "opds": "application/atom+xml; charset=utf-8", "rss": "application/rss+xml; charset=utf-8",
        "manifest": "text/cache-manifest", "appcache": "text/cache-manifest", "txt": "text/plain; charset=utf-8",
        "vtt": "text/vtt; charset=utf-8", "pdf": "application/pdf",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "svg": "image/svg+xml", "ico": "image/x-icon",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "mp4": "video/mp4", "m4v": "video/x-m4v", "mov": "video/quicktime", "webm": "video/webm",
        "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "aac": "audio/aac", "wav": "audio/wav",
    ]
}
