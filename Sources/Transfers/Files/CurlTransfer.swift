import CLibCurl
import Foundation

/// A single transfer of libcurl.
struct CurlTransfer {
    private let library: CurlLibrary
    private let request: TransferRequest
    private let sink: TransferSink
    private let headers = HeaderReader()

    enum TransferReply {
        case fetched(Validator)
        case unchanged
    }

    init(_ library: CurlLibrary, _ request: TransferRequest, _ sink: TransferSink) {
        self.library = library
        self.request = request
        self.sink = sink
    }

    func run() throws(TransferError) -> TransferReply {
        guard let handle = library.easyInit() else { throw .other(code: 27, errorText: "out of memory") }
        defer { library.cleanup(handle) }
        var options = CurlOptions(library, handle)
        defer { options.free() }
        options.apply(request)
        options.receive(into: sink, headers: headers)
        guard options.code == CURLE_OK else { throw failure(options.code, handle) }
        // Both objects outlive the call. libcurl uses the pointers from `receive` only during that call.
        let code = withExtendedLifetime((sink, headers)) { library.perform(handle) }
        guard code == CURLE_OK else { throw failure(code, handle) }
        return try reply(handle)
    }

    private func reply(_ handle: CurlLibrary.Handle) throws(TransferError) -> TransferReply {
        let isHTTP = request.scheme == .http || request.scheme == .https
        let status = gf_curl_get_long(library.getinfo, handle, CURLINFO_RESPONSE_CODE)
        if isHTTP {
            if status == 304, request.known != nil { return .unchanged }
            guard status == 200 else { throw .status(status) }
        }
        if gf_curl_get_long(library.getinfo, handle, CURLINFO_CONDITION_UNMET) == 1, request.known != nil {
            return .unchanged
        }
        let time = gf_curl_get_offset(library.getinfo, handle, CURLINFO_FILETIME_T)
        return .fetched(Validator(entityTag: headers.entityTag, modified: time > 0 ? Int64(time) : nil))
    }

    private func failure(_ code: CURLcode, _ handle: CurlLibrary.Handle) -> TransferError {
        if let own = sink.failure { return own }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY: return .unreachable
        case CURLE_OPERATION_TIMEDOUT, CURLE_FTP_ACCEPT_TIMEOUT: return .timedOut
        case CURLE_LOGIN_DENIED: return .loginRejected
        case CURLE_PEER_FAILED_VERIFICATION where request.scheme == .sftp: return .hostKeyRejected
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            return .insecure
        case CURLE_REMOTE_FILE_NOT_FOUND, CURLE_REMOTE_ACCESS_DENIED, CURLE_FTP_COULDNT_RETR_FILE: return .notFound
        case CURLE_FILE_COULDNT_READ_FILE: return .unreadableFile
        case CURLE_PARTIAL_FILE: return .truncated
        case CURLE_FILESIZE_EXCEEDED: return .tooLarge(limit: request.sizeLimit)
        case CURLE_ABORTED_BY_CALLBACK: return .cancelled
        case CURLE_HTTP_RETURNED_ERROR:
            let status = gf_curl_get_long(library.getinfo, handle, CURLINFO_RESPONSE_CODE)
            switch status {
            case 401, 407: return .loginRejected
            case 404, 410: return .notFound
            default: return .status(status)
            }
        default:
            // libcurl's text for a code does not depend on the request. Its error buffer may hold the address, so
            // it is not used.
            return .other(code: code.rawValue, errorText: library.errorText(code).map { String(cString: $0) } ?? "")
        }
    }
}

/// Reads the entity tag from the header lines of the last response.
final class HeaderReader {
    private(set) var entityTag: String?

    func take(_ bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes.prefix(1024), as: UTF8.self)
        if line.hasPrefix("HTTP/") { entityTag = nil }
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "etag" else { return }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespacesAndNewlines)
        let isSafe = value.utf8.count <= 512 && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        entityTag = isSafe && !value.isEmpty ? value : nil
    }
}
