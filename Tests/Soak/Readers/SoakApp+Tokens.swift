import AccessModel
import Foundation
import Gatefold
import TestSupport

/// The calls that bring, check and end tokens.
extension SoakApp {
    /// - Returns: nil when asked to come back.
    @discardableResult
    func signIn(_ title: Int, _ way: Way? = nil) async throws -> SoakReader.Token? {
        let call = try await call(
            "sign_in", in: title, ["email": reader.email, "password": PublisherSystem.password], way)
        if call.answer.status == 503 {
            try comeBack(call)
            return nil
        }
        guard call.answer.status == 200, let text = call.answer.element("token") else {
            throw fail(call, "the reader and the password are right")
        }
        note(call, "token")
        return try keep(text, title, SoakReader.Sitting(), call)
    }

    private func keep(
        _ text: String, _ title: Int, _ sitting: SoakReader.Sitting, _ call: Call
    ) throws -> SoakReader.Token {
        guard call.answer.attribute("global_auth_password") == SoakPlan.feedPassword(text, in: title) else {
            throw fail(call, "the feed's password is another")
        }
        let token = SoakReader.Token(text: text, title: title, sitting: sitting, asked: call.start, came: call.end)
        tokens.keep(token, using: &random)
        reader.keep(token)
        return token
    }

    /// - Returns: what was noted.
    @discardableResult
    func signInWrongly(_ title: Int) async throws -> String {
        let call = try await call("sign_in", in: title, ["email": reader.email, "password": "wrong"])
        if call.answer.status == 503 { return try comeBack(call) }
        guard call.answer.status == 200, call.answer.error == "notrecognised", call.answer.element("token") == nil
        else {
            throw fail(call, "the password is wrong")
        }
        return note(call, "not recognised")
    }

    /// - Returns: nil when refused, or asked to come back.
    @discardableResult
    func renew(_ token: SoakReader.Token, _ way: Way? = nil) async throws -> SoakReader.Token? {
        reader.forget()
        let call = try await call("renew_token", in: token.title, ["token": token.text], way)
        reader.forget()
        let standings = standings(token, call)
        let mayBeRenewed = standings.contains(.good) || standings.contains(.renewable)
        if call.answer.status == 503, mayBeRenewed {
            try comeBack(call)
            return nil
        }
        if call.answer.status == 200, let text = call.answer.element("token") {
            guard mayBeRenewed else { throw fail(call, "the token was \(standings)") }
            note(call, standings == [.renewable] ? "token for an expired one" : "token")
            return try keep(text, token.title, token.sitting, call)
        }
        guard call.answer.status == 200, call.answer.error == "notrecognised",
            standings.contains(.ended) || standings.contains(.expired)
        else { throw fail(call, "the token was \(standings)") }
        note(call, "not recognised, \(ending(token, standings))")
        return nil
    }

    func signOut(_ token: SoakReader.Token, _ way: Way? = nil) async throws {
        token.sitting.beginEnd()
        reader.forget()
        let call = try await call("sign_out", in: token.title, ["token": token.text], way)
        reader.forget()
        guard call.answer.status == 200 else { throw fail(call, "signing out is always possible") }
        token.sitting.certify(at: call.end)
        note(call, "signed out")
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

    /// - Returns: what was noted.
    @discardableResult
    func verify(_ token: SoakReader.Token, _ way: Way? = nil) async throws -> String {
        try judge(try await call("verify_subscription", in: token.title, ["token": token.text], way), of: token)
    }

    @discardableResult
    private func judge(_ call: Call, of token: SoakReader.Token) throws -> String {
        let standings = standings(token, call)
        let model = SoakPlan.model(token.title)
        let now = call.start
        var right: [(ModelVerification, number: Int?)] = []
        for standing in standings {
            guard standing == .good else {
                right.append((model.verification(standing, heard: { .nobody }, bought: [], at: now), nil))
                continue
            }
            for word in reader.words(from: call.start, to: call.end, isBadDay: call.day != nil) {
                right.append(
                    (model.verification(.good, heard: { .said(word.value) }, bought: [], at: now), word.number))
            }
        }
        if call.answer.status == 503, standings.contains(.good) {
            if standings == [.good], reader.mustBeTold(from: call.start, to: call.end) {
                throw fail(call, "the reader was told \"active\" a short while ago, which still stands in")
            }
            return try comeBack(call)
        }
        guard call.answer.status == 200, let state = call.answer.attribute("state").flatMap(SubscriptionState.init)
        else {
            throw fail(call, "no subscription")
        }
        let list: Entitlement =
            call.answer.text.contains("<issues")
            ? .editions(Set(call.answer.elements("issue").compactMap { EditionID($0) })) : .allEditions
        let given = ModelVerification.told(state, list)
        let matching = right.filter { $0.0 == given }
        guard !matching.isEmpty else {
            throw fail(call, "a token that was \(standings); right is one of \(right.map { "\($0.0)" })")
        }
        if standings == [.good], state == .active, call.day == nil { reader.hearActive(asked: call.start) }
        if standings == [.good], state != .active, let number = matching.compactMap(\.number).min() {
            reader.hearRefusal(number)
        }
        return note(
            call, standings == [.good] ? state.rawValue : "\(state.rawValue), \(ending(token, standings))")
    }

    func verifyForged(_ title: Int) async throws {
        var text = "Z9Zk3nonsense"
        if let token = tokens.draw(using: &random) {
            // One of another publication, or with a letter changed.
            text = token.title == title ? String(token.text.dropLast(2)) + "AA" : token.text
            if token.title == title, text == token.text { text = String(token.text.dropLast(2)) + "BA" }
        }
        let call = try await call("verify_subscription", in: title, ["token": text])
        guard call.answer.status == 200, call.answer.attribute("state") == "unknown" else {
            throw fail(call, "the token is none of this publication's")
        }
        note(call, "unknown, forged token")
        let pair = try await self.call(
            "edition_credentials", in: title, ["token": text, "product_id": SoakPlan.first])
        guard pair.answer.status == 200, pair.answer.error == "notrecognised", pair.answer.element("userid") == nil
        else {
            throw fail(pair, "the token is none of this publication's")
        }
        note(pair, "refused, forged token")
    }
}
