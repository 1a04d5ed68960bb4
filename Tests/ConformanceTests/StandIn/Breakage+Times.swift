import Crypto
import Foundation

@testable import Conformance

extension Breakage {
    /// What a stopwatch alone shows, where everybody has a password.
    static let blockedIsSlow = Breakage("timing-enumeration", "a blocked reader takes longer") { request, _ in
        if request.isSignIn, request["username"] == "blockedtoken" { StandIn.work(10) }
    }
}

extension StandIn {
    /// With a password for everybody: what a check makes up is refused, whoever gives it.
    static func withPasswords(
        _ breakage: @escaping @Sendable (StandInRequest, inout StandInAnswer) -> Void
    ) -> StandIn {
        StandIn { request, answer in
            if request.isSignIn, request["password"]?.hasPrefix("wrong") == true {
                answer = StandIn().document("<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
            breakage(request, &answer)
        }
    }

    /// Takes as long as checking a password does, or some of them: what tells must be more than the wait for a turn on a machine
    /// that runs seven other tests.
    static func work(_ times: Int = 1) {
        var digest = Data(SHA256.hash(data: Data()))
        for _ in 0..<times * 2000 { digest = Data(SHA256.hash(data: digest)) }
    }
}
