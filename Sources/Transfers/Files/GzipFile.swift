import SharedLibraries

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A reader for files that gzip(1) compressed.
public final class GzipFile {
    public enum Failure: Error, Sendable, Equatable {
        case unreadable
        /// The file ends too early, or its checksum does not match its content.
        case broken
    }

    private struct Functions: Sendable {
        let open: @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> OpaquePointer?
        let read: @convention(c) (OpaquePointer, UnsafeMutableRawPointer?, UInt32) -> Int32
        let isDirect: @convention(c) (OpaquePointer) -> Int32
        let close: @convention(c) (OpaquePointer) -> Int32

        static let loaded = Result<Functions, SharedLibraryError> { () throws(SharedLibraryError) in
            let library = try SharedLibrary("libz.so.1", "libz.1.dylib", package: "zlib1g")
            return Functions(
                open: try library.function("gzopen"), read: try library.function("gzread"),
                isDirect: try library.function("gzdirect"), close: try library.function("gzclose_r"))
        }
    }

    private let functions: Functions
    private let file: OpaquePointer
    private var isOpen = true

    /// - Throws: `SharedLibraryError` when zlib is not installed, or ``Failure/unreadable``.
    public init(path: String) throws {
        functions = try Functions.loaded.get()
        guard let file = functions.open(path, "rb") else { throw Failure.unreadable }
        self.file = file
    }

    deinit {
        if isOpen { _ = functions.close(file) }
    }

    /// Checks that zlib is installed.
    ///
    /// - Throws: `SharedLibraryError`.
    public static func requireLibrary() throws { _ = try Functions.loaded.get() }

    /// Returns the next bytes, at most `limit`, or an empty array at the end.
    ///
    /// - Throws: ``Failure/broken``, also for a file that is not compressed.
    public func next(_ limit: Int) throws(Failure) -> [UInt8] {
        guard isOpen else { return [] }
        var count: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = functions.read(file, buffer.baseAddress, UInt32(clamping: limit))
            filled = max(0, Int(count))
        }
        // zlib returns the bytes of an uncompressed file unchanged, and it treats an empty file as uncompressed.
        guard count >= 0, functions.isDirect(file) == 0 else { throw .broken }
        if bytes.isEmpty {
            isOpen = false
            // Only closing the file reports whether the last piece was complete.
            guard functions.close(file) == 0 else { throw .broken }
        }
        return bytes
    }
}
