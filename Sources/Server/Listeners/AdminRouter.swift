import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import NIOCore
import State

/// The responder of the admin listener: health, metrics and messages of other nodes, which need no token, and the admin API
/// with the console.
/// The listener must not be reachable from outside.
struct AdminRouter: HTTPResponder, HTTPResponderBuilder {
    private let table: RouteTable

    init(
        metrics: PrometheusRegistry, readiness: @escaping @Sendable () async -> Readiness,
        backends: BackendAdministration, catalogues: CatalogueAdministration? = nil,
        push: PushAdministration? = nil, node: NodeState? = nil, api: AdminAPIEndpoint? = nil,
        console: ConsoleEndpoint? = nil
    ) {
        var routes = Routes()
        routes.add(
            HealthEndpoint(
                readiness: readiness, showsCause: { context in context.peer.map { $0.isLocal } ?? true }
            ) {
                await backends.health().map { HealthLine(isGood: $0.isUp, text: $0.line) }
                    + (catalogues?.health() ?? [])
            })
        routes.on("/metrics", methods: .only([.get])) { _, _ in
            backends.measure()
            catalogues?.measure()
            await push?.measure()
            node?.measure()
            return Response(
                status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: metrics.exposition())))
        }
        if let api {
            for pattern in [AdminAPIEndpoint.root, AdminAPIEndpoint.root + "/**"] {
                routes.on(RoutePattern(pattern), methods: .all) { request, context in
                    await api.respond(to: request, context: context)
                }
            }
        }
        if let console {
            for pattern in [ConsoleEndpoint.root, ConsoleEndpoint.root + "/**"] {
                routes.on(RoutePattern(pattern), methods: .all) { request, context in
                    await console.respond(to: request, context: context)
                }
            }
        }
        if let node {
            routes.on("\(RevocationPeers.path)", methods: .only([.post])) { request, _ in
                try await Self.receive(request, node)
            }
        }
        table = RouteTable(routes)
    }

    func respond(to request: Request, context: GatefoldRequestContext) async throws -> Response {
        try await ResponseRules.response(to: request, in: context) { request, context in
            try await table.respond(to: request, context: context)
        }
    }

    func buildResponder() -> AdminRouter { self }

    /// Passes a message of another node to this one.
    private static func receive(_ request: Request, _ node: NodeState) async throws -> Response {
        do {
            let body = try await request.body.collect(upTo: PeerMessage.maxSize)
            return Response(status: node.receive(Array(body.readableBytesView)) ? .noContent : .forbidden)
        } catch is NIOTooManyBytesError {
            return Response(status: .contentTooLarge)
        }
    }
}
