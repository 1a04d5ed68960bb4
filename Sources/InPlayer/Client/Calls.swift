import Foundation

/// Makes calls: with a token where one is needed, again with a new one where the old one is not taken any more.
struct Calls: Sendable {
    let base: String
    let transport: any InPlayerTransport
    let keeper: SessionKeeper

    /// - Throws: ``InPlayerError``.
    func answer(_ endpoint: Endpoint) async throws(InPlayerError) -> Answer {
        // Of these a server would make another path, and so another call.
        guard endpoint.path.allSatisfy({ !["", ".", ".."].contains($0) }) else {
            throw .invalid("expected identifiers that are neither empty nor dots")
        }
        return try await answer(endpoint.authorization) { endpoint.request(to: base, token: $0) }
    }

    /// - Parameter request: makes the request with a token, or without.
    func answer(
        _ authorization: Endpoint.Authorization, _ request: (_ token: String?) -> TransportRequest
    ) async throws(InPlayerError) -> Answer {
        guard authorization == .required else { return try Self.read(await send(request(nil))) }
        let token = try await keeper.token()
        let first = try await send(request(token))
        guard first.status == 401 else { return try Self.read(first) }
        let renewed: String
        do throws(InPlayerError) {
            renewed = try await keeper.token(insteadOf: token)
        } catch .sessionEnded(nil) {
            throw .sessionEnded(InPlayerFault(status: first.status, body: first.body))
        }
        return try Self.read(await send(request(renewed)))
    }

    func model<Model: AnswerModel>(
        _ endpoint: Endpoint, _ type: Model.Type = Model.self
    ) async throws(InPlayerError) -> Model {
        try Self.model(try await answer(endpoint))
    }

    static func model<Model: AnswerModel>(
        _ answer: Answer, _ type: Model.Type = Model.self
    ) throws(InPlayerError) -> Model {
        do {
            return try Model(answer)
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

    /// - Returns: null for an empty answer.
    static func read(_ response: TransportResponse) throws(InPlayerError) -> Answer {
        guard (200..<300).contains(response.status) else {
            throw .refused(InPlayerFault(status: response.status, body: response.body))
        }
        if response.body.isEmpty { return .null }
        do {
            return try Answer(parsing: response.body)
        } catch {
            throw .unreadable(status: response.status, expected: "expected JSON")
        }
    }
}
