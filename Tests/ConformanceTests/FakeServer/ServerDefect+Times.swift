@testable import Conformance

extension ServerDefect {
    /// A defect that only timing reveals, if every reader has a password.
    static let blockedIsSlow = ServerDefect("timing-enumeration", "a blocked reader takes longer") {
        request, response in
        if request.isSignIn, request["username"] == "blockedtoken" { response.delay = FakeResponse.slow }
    }
}

extension FakePublisherServer {
    /// Returns a fake server that gives every reader a password, so that made-up proofs are rejected.
    static func withPasswords(
        _ serverDefect: @escaping @Sendable (FakeServerRequest, inout FakeResponse) -> Void
    ) -> FakePublisherServer {
        FakePublisherServer { request, response in
            if request.isSignIn, request["password"]?.hasPrefix("wrong") == true {
                response = FakePublisherServer().document(
                    "<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
            serverDefect(request, &response)
        }
    }

    /// Returns the response when its delay has passed.
    ///
    /// The delay must not occupy a thread. Where all threads are busy, the server would otherwise calculate the
    /// responses to a pair of streams one after the other, in the order of the requests, and no leak would show.
    func delayedResponse(_ request: FakeServerRequest) async throws -> FakeResponse {
        let response = response(request)
        if response.delay > .zero { try await Task.sleep(for: response.delay) }
        return response
    }
}

extension FakeResponse {
    /// The delay of a password check that every reader gets.
    static let usual = Duration.milliseconds(3)
    /// A delay that exceeds the usual one by more than the scheduling delay on a busy machine.
    static let slow = Duration.milliseconds(30)
}
