import Foundation

/// A caller of the service. It adds a token to calls that require one, and repeats a call with a new token if the
/// service rejects the old token.
struct Calls: Sendable {
    let base: String
    let transport: any InPlayerTransport
    let sessionManager: SessionManager

    /// Calls an endpoint.
    ///
    /// - Throws: ``InPlayerError``.
    func response(_ endpoint: Endpoint) async throws(InPlayerError) -> ResponseValue {
        // A server would resolve such segments to another path, and so to another call.
        guard endpoint.path.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw .invalid("expected identifiers that are neither empty nor dots")
        }
        return try await response(endpoint.authorization) { endpoint.request(to: base, token: $0) }
    }

    /// Sends a request with the required authorization.
    ///
    /// - Parameter request: A closure that creates the request, with or without a token.
    func response(
        _ authorization: Endpoint.Authorization, _ request: (_ token: String?) -> TransportRequest
    ) async throws(InPlayerError) -> ResponseValue {
        guard authorization == .required else { return try Self.read(await send(request(nil))) }
        let token = try await sessionManager.token()
        let first = try await send(request(token))
        let fault = InPlayerFault(status: first.status, body: first.body)
        // A page from a proxy says nothing about the token.
        guard first.status == 401, fault.endsSession else { return try Self.read(first) }
        let renewed: String
        do throws(InPlayerError) {
            renewed = try await sessionManager.token(insteadOf: token)
        } catch .sessionEnded(nil) {
            throw .sessionEnded(fault)
        }
        return try Self.read(await send(request(renewed)))
    }

    func model<Model: ResponseModel>(
        _ endpoint: Endpoint, _ type: Model.Type = Model.self
    ) async throws(InPlayerError) -> Model {
        try Self.model(try await response(endpoint))
    }

    static func model<Model: ResponseModel>(
        _ response: ResponseValue, _ type: Model.Type = Model.self
    ) throws(InPlayerError) -> Model {
        do {
            return try Model(response)
        } catch {
            throw .unreadable(status: 200, expected: error.description)
        }
    }

    func send(_ request: TransportRequest) async throws(InPlayerError) -> TransportResponse {
        do {
            return try await transport.send(request)
        } catch {
            throw .unreachable(error)
        }
    }

    /// Reads a response.
    ///
    /// - Returns: The parsed body, or `null` for an empty body.
    static func read(_ response: TransportResponse) throws(InPlayerError) -> ResponseValue {
        guard (200..<300).contains(response.status) else {
            throw .rejected(InPlayerFault(status: response.status, body: response.body))
        }
        if response.body.isEmpty { return .null }
        do {
            return try ResponseValue(parsing: response.body)
        } catch {
            throw .unreadable(status: response.status, expected: "expected JSON")
        }
    }
}
