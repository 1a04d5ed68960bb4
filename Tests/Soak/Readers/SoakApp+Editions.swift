import AccessModel
import Foundation
import Gatefold
import TestSupport

/// The call for edition credentials, and what shows editions to everybody.
extension SoakApp {
    func credentials(_ token: SoakReader.Token, times: Int) async throws {
        let edition = SoakPlan.editions.randomElement(using: &random) ?? SoakPlan.first
        guard times > 1 else {
            try await credentials(token, for: edition)
            return
        }
        let fields = ["token": token.text, "product_id": edition]
        for call in try await calls("edition_credentials", in: token.title, fields, times: times) {
            try judge(call, of: token, for: edition)
        }
    }

    /// - Returns: nil when refused, or asked to come back.
    @discardableResult
    func credentials(_ token: SoakReader.Token, for edition: String, _ way: Way? = nil) async throws -> Pair? {
        let fields = ["token": token.text, "product_id": edition]
        return try judge(
            try await call("edition_credentials", in: token.title, fields, way), of: token, for: edition)
    }

    @discardableResult
    private func judge(_ call: Call, of token: SoakReader.Token, for edition: String) throws -> Pair? {
        guard let id = EditionID(edition) else { throw fail(call, "\(edition) is no edition") }
        let standings = standings(token, call)
        let right = standings.flatMap { standing in self.right(standing, id, token.title, call) }
        let given: ModelCredentials
        var pair: Pair?
        if let userid = call.answer.element("userid"), let password = call.answer.element("password") {
            guard let expires = SoakPlan.salt(userid, for: id, in: token.title)?.expiresAt else {
                throw fail(call, "the salt is none of this publication and edition")
            }
            guard password == SoakPlan.password(userid, for: id, in: token.title) else {
                throw fail(call, "the password is not the salt's")
            }
            let grants = grants(expires, token, call)
            guard let first = grants.first else { throw fail(call, "the salt ends at \(expires)") }
            // Where the end of the token leaves no difference, the better one.
            given = grants.first { right.contains($0) } ?? first
            pair = Pair(
                userid: userid, password: password, edition: edition, token: token, asked: call.start,
                expires: expires)
        } else if call.answer["Retry-After"] != nil {
            given = .comeBack
        } else {
            given = .refused(call.answer.error.flatMap { CredentialsRefusal.Reason(rawValue: $0) })
        }
        guard call.answer.status == 200 else { throw fail(call, "always 200") }
        if given == .comeBack, standings.contains(.good) {
            try comeBack(call)
            return nil
        }
        let isLate =
            given == .grantedForNow && call.day == nil
            && standings.contains { self.right($0, id, token.title, call, heard: [.nobody]).contains(given) }
        guard right.contains(given) || isLate else {
            throw fail(call, "\(edition) with a token that was \(standings); right is one of \(right)")
        }
        switch given {
        case .granted: note(call, "credentials")
        case .grantedForNow: note(call, SoakTally.failedOpen, isLate: isLate)
        case .refused(let reason): note(call, "refused, \(reason?.rawValue ?? "nothing said")")
        case .comeBack: note(call, "refused")
        }
        if let pair { pairs.keep(pair, using: &random) }
        return pair
    }

    /// What credentials may be that end at a moment: those of an outage end sooner, and none after their token.
    private func grants(_ expires: Date, _ token: SoakReader.Token, _ call: Call) -> [ModelCredentials] {
        func minute(_ moment: Date) -> Date {
            Date(timeIntervalSince1970: (moment.timeIntervalSince1970 / 60).rounded(.up) * 60)
        }
        let times = SoakPlan.Times.self
        let lifetimes: [(ModelCredentials, TimeInterval)] = [
            (.granted, times.credentials), (.grantedForNow, times.failOpenCredentials),
        ]
        return lifetimes.filter { _, lifetime in
            let earliest = min(call.start.addingTimeInterval(lifetime), token.expiresEarliest)
            let latest = min(call.end.addingTimeInterval(lifetime), token.expiresLatest)
            return minute(earliest) <= expires && expires <= minute(latest)
        }.map(\.0)
    }

    private func right(
        _ standing: TokenStanding, _ edition: EditionID, _ title: Int, _ call: Call
    ) -> [ModelCredentials] {
        var heard: [Heard<Subscription>] = reader.words(
            from: call.start, to: call.end, isBadDay: call.day != nil
        ).map { .said($0.value) }
        if call.day != nil { heard.append(.nobody) }
        return right(standing, edition, title, call, heard: heard)
    }

    private func right(
        _ standing: TokenStanding, _ edition: EditionID, _ title: Int, _ call: Call, heard: [Heard<Subscription>]
    ) -> [ModelCredentials] {
        let model = SoakPlan.model(title)
        let wasRefused = reader.isRefused(from: call.start, to: call.end)
        return heard.map { word in
            model.credentials(
                standing, for: edition, verdict: { .said(nil) }, heard: { word }, bought: [],
                wasRefused: { wasRefused }, at: call.start)
        }
    }

    /// What Baker and Basispress apps are shown without credentials, the same to everybody.
    func showShelf(_ title: Int, ofBaker: Bool) async throws {
        let app = "com.example.\(SoakPlan.titles[title].id)"
        let path = ofBaker ? "/issues/\(app)/reader-\(reader.number)" : "/api/protocol.json?id=\(app)"
        let call = try await exchange(
            ofBaker ? "baker shelf" : "basispress shelf", in: title, caching: .everybodys(varies: false)
        ) {
            try await scene.http.send("GET", path)
        }
        guard call.answer.status == 200 else { throw fail(call, "the shelf is everybody's") }
        let shown = SoakPlan.shown(toInsiders: false)
        for edition in SoakPlan.editions where call.answer.text.contains(edition) != shown.contains(edition) {
            throw fail(call, "\(edition) on the shelf")
        }
        guard scene.documents.isSame("\(call.name) \(title)", call.answer.body) else {
            throw fail(call, "others are shown another shelf")
        }
        note(call, "shelf")
    }
}
