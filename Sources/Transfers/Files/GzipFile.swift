import SharedLibraries

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a file that gzip(1) packed.
public final class GzipFile {
    public enum Failure: Error, Sendable, Equatable {
        case unreadable
        /// It ends too early, or what is in it is not what was packed.
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

    /// - Throws: ``SharedLibraryError`` when zlib is not installed, or ``Failure/unreadable``.
    public init(path: String) throws {
        functions = try Functions.loaded.get()
        guard let file = functions.open(path, "rb") else { throw Failure.unreadable }
        self.file = file
    }

    deinit {
        if isOpen { _ = functions.close(file) }
    }

    /// Whether zlib is there.
    ///
    /// - Throws: ``SharedLibraryError``.
    public static func requireLibrary() throws { _ = try Functions.loaded.get() }

    /// The next bytes, at most `most`; empty at the end.
    ///
    /// - Throws: ``Failure/broken``, also for a file that is not packed at all.
    public func next(_ most: Int) throws(Failure) -> [UInt8] {
        guard isOpen else { return [] }
        var count: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, filled in
            count = functions.read(file, buffer.baseAddress, UInt32(clamping: most))
            filled = max(0, Int(count))
        }
        // zlib hands over what is not packed as it is, and an empty file is not.
        guard count >= 0, functions.isDirect(file) == 0 else { throw .broken }
        if bytes.isEmpty {
            isOpen = false
            // Only closing tells whether the last piece was a whole one.
            guard functions.close(file) == 0 else { throw .broken }
        }
        return bytes
    }
}
