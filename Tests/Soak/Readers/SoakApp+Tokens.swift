import AccessModel
import Foundation
import Gatefold
import TestSupport

/// The calls that issue, verify and end tokens.
extension SoakApp {
    /// - Returns: Nil for a response that asks for a retry.
    @discardableResult
    func signIn(_ title: Int, _ callVariant: CallVariant? = nil) async throws -> SoakReader.Token? {
        let call = try await call(
            "sign_in", in: title, ["email": reader.email, "password": PublisherSystem.password], callVariant)
        if call.response.status == 503 {
            try unavailable(call)
            return nil
        }
        guard call.response.status == 200, let text = call.response.element("token") else {
            throw fail(call, "expected a token for a correct password")
        }
        record(call, "token")
        return try store(text, title, SoakReader.TrackedSession(), call)
    }

    private func store(
        _ text: String, _ title: Int, _ trackedSession: SoakReader.TrackedSession, _ call: Call
    ) throws -> SoakReader.Token {
        guard call.response.attribute("global_auth_password") == SoakPlan.feedPassword(text, in: title) else {
            throw fail(call, "unexpected feed password")
        }
        let token = SoakReader.Token(
            text: text, title: title, trackedSession: trackedSession, requested: call.start, receivedAt: call.end)
        tokens.store(token, using: &random)
        reader.store(token)
        return token
    }

    /// - Returns: The recorded response.
    @discardableResult
    func signInWrongly(_ title: Int) async throws -> String {
        let call = try await call("sign_in", in: title, ["email": reader.email, "password": "wrong"])
        if call.response.status == 503 { return try unavailable(call) }
        guard call.response.status == 200, call.response.error == "notrecognised", call.response.element("token") == nil
        else {
            throw fail(call, "expected a rejection of the wrong password")
        }
        return record(call, "rejected")
    }

    /// - Returns: Nil for a denial or a response that asks for a retry.
    @discardableResult
    func renew(_ token: SoakReader.Token, _ callVariant: CallVariant? = nil) async throws -> SoakReader.Token? {
        reader.forget()
        let call = try await call("renew_token", in: token.title, ["token": token.text], callVariant)
        reader.forget()
        let tokenStatuses = tokenStatuses(token, call)
        let mayBeRenewed = tokenStatuses.contains(.good) || tokenStatuses.contains(.renewable)
        if call.response.status == 503, mayBeRenewed {
            try unavailable(call)
            return nil
        }
        if call.response.status == 200, let text = call.response.element("token") {
            guard mayBeRenewed else { throw fail(call, "unexpected for a token of status \(tokenStatuses)") }
            record(call, tokenStatuses == [.renewable] ? "token, after expiry" : "token")
            return try store(text, token.title, token.trackedSession, call)
        }
        guard call.response.status == 200, call.response.error == "notrecognised",
            tokenStatuses.contains(.ended) || tokenStatuses.contains(.expired)
        else { throw fail(call, "unexpected for a token of status \(tokenStatuses)") }
        record(call, "rejected, \(ending(token, tokenStatuses))")
        return nil
    }

    func signOut(_ token: SoakReader.Token, _ callVariant: CallVariant? = nil) async throws {
        token.trackedSession.beginEnd()
        reader.forget()
        let call = try await call("sign_out", in: token.title, ["token": token.text], callVariant)
        reader.forget()
        guard call.response.status == 200 else { throw fail(call, "expected status 200 for a sign-out") }
        token.trackedSession.recordCertain(at: call.end)
        record(call, "signed out")
    }

    func verify(_ token: SoakReader.Token, times: Int) async throws {
        guard times > 1 else {
            try await verify(token)
            return
        }
        for call in try await calls("verify_subscription", in: token.title, ["token": token.text], times: times) {
            try judge(call, of: token)
        }
    }

    /// - Returns: The recorded response.
    @discardableResult
    func verify(_ token: SoakReader.Token, _ callVariant: CallVariant? = nil) async throws -> String {
        try judge(try await call("verify_subscription", in: token.title, ["token": token.text], callVariant), of: token)
    }

    @discardableResult
    private func judge(_ call: Call, of token: SoakReader.Token) throws -> String {
        let tokenStatuses = tokenStatuses(token, call)
        let model = SoakPlan.model(token.title)
        let now = call.start
        var right: [(ModelVerification, number: Int?)] = []
        for validity in tokenStatuses {
            guard validity == .good else {
                right.append((model.verification(validity, heard: { .unavailable }, bought: [], at: now), nil))
                continue
            }
            for candidate in reader.possibleSubscriptions(
                from: call.start, to: call.end, isFaultWindow: call.day != nil)
            {
                right.append(
                    (
                        model.verification(.good, heard: { .current(candidate.value) }, bought: [], at: now),
                        candidate.number
                    ))
            }
        }
        if call.response.status == 503, tokenStatuses.contains(.good) {
            if tokenStatuses == [.good], reader.mustBeReported(from: call.start, to: call.end) {
                throw fail(call, "expected the cached state \"active\", which is still valid")
            }
            return try unavailable(call)
        }
        guard call.response.status == 200, let state = call.response.attribute("state").flatMap(SubscriptionState.init)
        else {
            throw fail(call, "expected a subscription")
        }
        let list: Entitlement =
            call.response.text.contains("<issues")
            ? .editions(Set(call.response.elements("issue").compactMap { EditionID($0) })) : .allEditions
        let given = ModelVerification.reported(state, list)
        let matching = right.filter { $0.0 == given }
        guard !matching.isEmpty else {
            throw fail(call, "token of status \(tokenStatuses); expected one of \(right.map { "\($0.0)" })")
        }
        if tokenStatuses == [.good], state == .active, call.day == nil { reader.receiveActive(requested: call.start) }
        if tokenStatuses == [.good], state != .active, let number = matching.compactMap(\.number).min() {
            reader.receiveDenial(number)
        }
        return record(
            call, tokenStatuses == [.good] ? state.rawValue : "\(state.rawValue), \(ending(token, tokenStatuses))")
    }

    func verifyForged(_ title: Int) async throws {
        var text = "Z9Zk3nonsense"
        if let token = tokens.draw(using: &random) {
            // A token of another publication, or one with changed letters.
            text = token.title == title ? String(token.text.dropLast(2)) + "AA" : token.text
            if token.title == title, text == token.text { text = String(token.text.dropLast(2)) + "BA" }
        }
        let call = try await call("verify_subscription", in: title, ["token": text])
        guard call.response.status == 200, call.response.attribute("state") == "unknown" else {
            throw fail(call, "a forged token was accepted")
        }
        record(call, "unknown, forged token")
        let pair = try await self.call(
            "edition_credentials", in: title, ["token": text, "product_id": SoakPlan.first])
        guard pair.response.status == 200, pair.response.error == "notrecognised",
            pair.response.element("userid") == nil
        else {
            throw fail(pair, "a forged token was accepted")
        }
        record(pair, "rejected, forged token")
    }
}
