public import SharedLibraries

/// Gets files from elsewhere through libcurl.
public struct FileTransfer: Sendable {
    private let library: CurlLibrary

    /// - Throws: ``SharedLibraryError`` when libcurl is not installed.
    public init() throws(SharedLibraryError) {
        library = try CurlLibrary.loaded.get()
    }

    /// What became of a request.
    public enum Outcome: Sendable, Equatable {
        /// The whole file is at the path, and in the kernel's hands.
        case fetched(Fetched)
        /// The server says that the known one is still the file; nothing was written.
        case unchanged
    }

    public struct Fetched: Sendable, Equatable {
        /// In bytes.
        public let size: Int
        public let validator: Validator
    }

    /// Gets the file; blocks its thread meanwhile.
    ///
    /// - Parameters:
    ///   - path: where it goes; nothing may be there yet. Only its owner may read it. After an error nothing is there.
    ///   - isCancelled: asked about once a second, and with every piece that arrives.
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
