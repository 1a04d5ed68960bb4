import NIOCore
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#endif

/// A service that listens, and says where it could not.
struct Listener: Service {
    let address: ListenAddress
    let service: any Service

    func run() async throws {
        do {
            try await service.run()
        } catch let error as IOError {
            throw AssemblyError.listen(address: address, cause: String(cString: strerror(error.errnoCode)))
        } catch let error as SocketAddressError {
            throw AssemblyError.listen(address: address, cause: Self.words(error))
        }
    }

    private static func words(_ error: SocketAddressError) -> String {
        switch error {
        case .unknown(let host, _): "\(host) is no known host"
        default: "this is no address"
        }
    }
}
