import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// An application at its address; where it can not listen, the error says so in one line.
struct Listener<Wrapped: ApplicationProtocol>: Service {
    let address: ListenAddress
    let application: Wrapped

    /// - Throws: ``AssemblyError/listen(address:cause:)``.
    func run() async throws {
        do {
            try await application.run()
        } catch let error as IOError {
            throw AssemblyError.listen(address: address, cause: String(cString: strerror(error.errnoCode)))
        } catch SocketAddressError.unknown(let host, _) {
            throw AssemblyError.listen(address: address, cause: "\(host) is no known host")
        } catch let error where !(error is CancellationError) {
            throw AssemblyError.listen(address: address, cause: "\(error)")
        }
    }
}
