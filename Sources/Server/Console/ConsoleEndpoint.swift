import AdminAPI
import Console
import FrontDoors
import HTTPTypes
import Hummingbird
import NIOCore

/// The route of the console on the admin listener. It is served to the same connections as the admin API.
struct ConsoleEndpoint: Sendable {
    static let root = Console.root

    let console: Console
    let api: AdminAPIEndpoint
    /// Returns the problem for an unexpected error, and logs it.
    let problem: @Sendable (any Error) -> AdminProblem

    /// Returns the response to a request; nil if the connection is neither local nor encrypted.
    func respond(to request: Request, context: GatefoldRequestContext) async -> Response? {
        guard let call = api.request(request, context, below: Self.root) else { return nil }
        let scheme = api.transport.isEncrypted ? "https" : "http"
        let response = await console.respond(
            to: call, origin: "\(scheme)://\(request.head.authority ?? "")", problem: problem)
        context.route = response.route
        return Response(
            status: .init(code: response.status), headers: response.fields,
            body: .init(byteBuffer: ByteBuffer(bytes: response.body)))
    }
}
