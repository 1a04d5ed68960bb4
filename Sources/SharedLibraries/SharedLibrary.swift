#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A C library that is loaded on first use.
///
/// A publisher therefore installs only the libraries of the systems in use. The error for a missing library names
/// its Debian package. Functions are found by name and called through their types, only by the target that wraps
/// the library.
public struct SharedLibrary: Sendable {
    /// The address of the handle that dlopen(3) returned. It is never closed, because code of the library may be
    /// running or registered.
    private let handle: UInt
    private let name: String
    private let package: String

    /// Loads a library.
    ///
    /// - Parameters:
    ///   - names: The library's file names, tried in order, such as `libpq.so.5`.
    ///   - package: The Debian package that contains the library.
    /// - Throws: ``SharedLibraryError/missing(library:package:)`` if none of the names can be loaded.
    public init(_ names: String..., package: String) throws(SharedLibraryError) {
        for name in names {
            if let pointer = dlopen(name, RTLD_NOW | RTLD_LOCAL) {
                handle = UInt(bitPattern: pointer)
                self.name = name
                self.package = package
                return
            }
        }
        throw .missing(library: names.first ?? "", package: package)
    }

    /// Returns a function of the library.
    ///
    /// - Parameters:
    ///   - symbol: The name of the function.
    ///   - type: The type of the function as declared in its header, with `@convention(c)`. The type is not checked.
    /// - Throws: ``SharedLibraryError/tooOld(library:function:package:)`` if the library has no such function.
    public func function<Function>(
        _ symbol: String, as type: Function.Type = Function.self
    ) throws(SharedLibraryError) -> Function {
        guard let pointer = dlsym(UnsafeMutableRawPointer(bitPattern: handle), symbol) else {
            throw .tooOld(library: name, function: symbol, package: package)
        }
        return unsafeBitCast(pointer, to: type)
    }
}

/// The reason that a library cannot be used.
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
