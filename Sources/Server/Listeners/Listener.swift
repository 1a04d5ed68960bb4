import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle

/// An application at its address. If it cannot listen, the error gives the cause in one line.
struct Listener<Wrapped: ApplicationProtocol>: Service {
    let address: String
    let application: Wrapped

    /// - Throws: ``BootstrapError/listen(address:cause:)``.
    func run() async throws {
        do {
            try await application.run()
        } catch let error as IOError {
            throw BootstrapError.listen(address: address, cause: String(cString: strerror(error.errnoCode)))
        } catch SocketAddressError.unknown(let host, _) {
            throw BootstrapError.listen(address: address, cause: "\(host) is not a known host")
        } catch let error where !(error is CancellationError) {
            throw BootstrapError.listen(address: address, cause: "\(error)")
        }
    }
}
