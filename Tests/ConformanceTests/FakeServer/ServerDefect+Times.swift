import Crypto
import Foundation

@testable import Conformance

extension ServerDefect {
    /// A defect that only timing reveals, if every reader has a password.
    static let blockedIsSlow = ServerDefect("timing-enumeration", "a blocked reader takes longer") { request, _ in
        if request.isSignIn, request["username"] == "blockedtoken" { FakePublisherServer.work(10) }
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

    /// Takes as long as one or several password checks. The difference must exceed the scheduling delay on a machine
    /// that runs seven other tests.
    static func work(_ times: Int = 1) {
        var digest = Data(SHA256.hash(data: Data()))
        for _ in 0..<times * 2000 { digest = Data(SHA256.hash(data: digest)) }
    }
}
