import ContentGate
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing

/// Runs the body with a gate on a free port of 127.0.0.1.
func withGate(_ body: @Sendable @escaping (GateUnderTest) async throws -> Void) async throws {
    let keeper = GateKeeper(try Gate([try publication()], clock: ManualClock().wall))
    let original = endpoint(keeper, .original)
    let forwarded = endpoint(keeper, .forwarded)
    let application = Application(
        responder: CallbackResponder<BasicRequestContext> { request, context in
            switch request.head.path {
            case "/auth-request/original-uri": try await original.respond(to: request, context: context)
            case "/auth-request/forwarded-uri": try await forwarded.respond(to: request, context: context)
            default: Response(status: .notFound)
            }
        })
    try await application.test(.live) { client in
        try await body(GateUnderTest(port: try #require(client.port)))
    }
}

private func endpoint(
    _ keeper: GateKeeper, _ convention: ForwardedTarget
) -> AuthRequestEndpoint<BasicRequestContext> {
    AuthRequestEndpoint(keeper, convention: convention) { _, _ in true }
}

private func publication() throws -> GatePublication {
    let id = try #require(PublicationID(GateUnderTest.publication))
    return GatePublication(
        id: id,
        layout: try ContentLayout(prefix: "/content/\(id)/", openPatterns: ["covers/**"]),
        verifier: EditionCredentialsVerifier(
            publication: id, secrets: SecretRing(current: GateUnderTest.secret), acceptsPlainSalts: true,
            resumeWindow: 0),
        revocations: RevocationList(publication: id),
        freeEditions: [try #require(EditionID(GateUnderTest.freeEdition))])
}
