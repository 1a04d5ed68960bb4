#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A C library that is loaded when the first thing needs it, so that a publisher installs only those of the systems in use,
/// and one that is missing is reported by the name of its Debian package.
///
/// Its functions are found by name and called through their types; the target that wraps the library is the only one to do so.
public struct SharedLibrary: Sendable {
    private let handle: Handle
    private let name: String
    private let package: String

    /// The handle that dlopen(3) returned. It is never closed, because code of the library may be running or registered.
    ///
    /// `@unchecked Sendable`: the pointer is a constant that only dlsym(3) reads, which any thread may call.
    private struct Handle: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer
    }

    /// - Parameters:
    ///   - names: the library's file names, tried in order, such as `libpq.so.5`.
    ///   - package: the Debian package that has it.
    /// - Throws: ``SharedLibraryError/missing(library:package:)``.
    public init(_ names: String..., package: String) throws(SharedLibraryError) {
        for name in names {
            if let pointer = dlopen(name, RTLD_NOW | RTLD_LOCAL) {
                handle = Handle(pointer: pointer)
                self.name = name
                self.package = package
                return
            }
        }
        throw .missing(library: names.first ?? "", package: package)
    }

    /// One function of the library.
    ///
    /// - Parameter type: its type as its header declares it, `@convention(c)`: nothing checks that it is.
    /// - Throws: ``SharedLibraryError/tooOld(library:function:package:)`` when the library has no such function.
    public func function<Function>(
        _ symbol: String, as type: Function.Type = Function.self
    ) throws(SharedLibraryError) -> Function {
        guard let pointer = dlsym(handle.pointer, symbol) else {
            throw .tooOld(library: name, function: symbol, package: package)
        }
        return unsafeBitCast(pointer, to: type)
    }
}

/// Why a library can not be used.
public enum SharedLibraryError: Error, Equatable, Sendable, CustomStringConvertible {
    case missing(library: String, package: String)
    case tooOld(library: String, function: String, package: String)

    public var description: String {
        switch self {
        case .missing(let library, let package):
            "needs \(library), which is not installed: apt-get install \(package)"
        case .tooOld(let library, let function, let package):
            "\(library) has no \(function); a newer version of the Debian package \(package) is needed"
        }
    }
}
