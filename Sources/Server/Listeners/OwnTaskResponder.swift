import Hummingbird

/// Answers each request in a task of its own, so that a connection which waits for the next request holds little memory.
///
/// A connection is one task for as long as it lasts, and a task keeps every piece of stack that it ever used. The way through
/// routers, doors and backends leaves some 50 KB behind, which ten thousand idle apps would each hold.
struct OwnTaskResponder<Wrapped: HTTPResponder>: HTTPResponder where Wrapped.Context: Sendable {
    let wrapped: Wrapped
    /// False where the connection sees to that (``LeanHTTP1Channel``).
    let isNeeded: Bool

    func respond(to request: Request, context: Wrapped.Context) async throws -> Response {
        guard isNeeded else { return try await wrapped.respond(to: request, context: context) }
        async let response = wrapped.respond(to: request, context: context)
        return try await response
    }
}
