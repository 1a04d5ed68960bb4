public import SharedLibraries

/// Fetches remote files through libcurl.
public struct FileTransfer: Sendable {
    private let library: CurlLibrary

    /// - Throws: `SharedLibraryError` when libcurl is not installed.
    public init() throws(SharedLibraryError) {
        library = try CurlLibrary.loaded.get()
    }

    /// The result of a request.
    public enum Outcome: Sendable, Equatable {
        /// The whole file is at the path, and the kernel has accepted it.
        case fetched(Fetched)
        /// The server reports that the known file is still current; nothing was written.
        case unchanged
    }

    public struct Fetched: Sendable, Equatable {
        /// The size in bytes.
        public let size: Int
        public let validator: Validator
    }

    /// Fetches the file and blocks its thread meanwhile.
    ///
    /// - Parameters:
    ///   - request: The file to fetch.
    ///   - path: the destination, which must not exist yet. Only its owner may read the file. After an error the file
    ///     does not exist.
    ///   - isCancelled: called about once a second, and with every piece that arrives.
    /// - Throws: ``TransferError``.
    public func fetch(
        _ request: TransferRequest, to path: String, isCancelled: @escaping () -> Bool = { false }
    ) throws(TransferError) -> Outcome {
        let source = try LocalSource(request)
        let sink = try TransferSink(path: path, limit: request.sizeLimit, isCancelled: isCancelled)
        do {
            guard case .fetched(let validator) = try CurlTransfer(library, request, sink).run() else {
                sink.discard()
                return .unchanged
            }
            try sink.finish()
            try source?.requireUnchanged(size: sink.size)
            return .fetched(Fetched(size: sink.size, validator: validator))
        } catch {
            sink.discard()
            throw error
        }
    }
}
