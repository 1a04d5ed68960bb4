import AccessModel
import Foundation
import Gatefold
import TestSupport

/// Calls for edition credentials and the public catalogues.
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

    /// - Returns: Nil for a denial or a response that asks for a retry.
    @discardableResult
    func credentials(_ token: SoakReader.Token, for edition: String, _ callVariant: CallVariant? = nil) async throws
        -> Pair?
    {
        let fields = ["token": token.text, "product_id": edition]
        return try judge(
            try await call("edition_credentials", in: token.title, fields, callVariant), of: token, for: edition)
    }

    @discardableResult
    private func judge(_ call: Call, of token: SoakReader.Token, for edition: String) throws -> Pair? {
        guard let id = EditionID(edition) else { throw fail(call, "\(edition) is not a valid edition ID") }
        let tokenStatuses = tokenStatuses(token, call)
        let right = tokenStatuses.flatMap { validity in self.right(validity, id, token.title, call) }
        let given: ModelCredentials
        var pair: Pair?
        if let userid = call.response.element("userid"), let password = call.response.element("password") {
            guard let expires = SoakPlan.salt(userid, for: id, in: token.title)?.expiresAt else {
                throw fail(call, "the salt does not belong to this publication and edition")
            }
            guard password == SoakPlan.password(userid, for: id, in: token.title) else {
                throw fail(call, "the password does not match the salt")
            }
            let grants = grants(expires, token, call)
            guard let first = grants.first else { throw fail(call, "unexpected expiry of the salt: \(expires)") }
            // If the token's expiry makes no difference, the better one.
            given = grants.first { right.contains($0) } ?? first
            pair = Pair(
                userid: userid, password: password, edition: edition, token: token, requested: call.start,
                expires: expires)
        } else if call.response["Retry-After"] != nil {
            given = .unavailable
        } else {
            given = .rejected(call.response.error.flatMap { CredentialsRejection.Reason(rawValue: $0) })
        }
        guard call.response.status == 200 else { throw fail(call, "expected status 200") }
        if given == .unavailable, tokenStatuses.contains(.good) {
            try unavailable(call)
            return nil
        }
        let isLate =
            given == .grantedForNow && call.day == nil
            && tokenStatuses.contains { self.right($0, id, token.title, call, heard: [.unavailable]).contains(given) }
        guard right.contains(given) || isLate else {
            throw fail(call, "\(edition) with a token of status \(tokenStatuses); expected one of \(right)")
        }
        switch given {
        case .granted: record(call, "credentials")
        case .grantedForNow: record(call, SoakTally.failedOpen, isLate: isLate)
        case .rejected(let reason): record(call, "rejected, \(reason?.rawValue ?? "no reason")")
        case .unavailable: record(call, "unavailable")
        }
        if let pair { pairs.store(pair, using: &random) }
        return pair
    }

    /// Returns the possible grants for an expiry: those of an outage expire sooner, and none outlives its token.
    private func grants(_ expires: Date, _ token: SoakReader.Token, _ call: Call) -> [ModelCredentials] {
        func minute(_ timestamp: Date) -> Date {
            Date(timeIntervalSince1970: (timestamp.timeIntervalSince1970 / 60).rounded(.up) * 60)
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
        _ validity: TokenStatus, _ edition: EditionID, _ title: Int, _ call: Call
    ) -> [ModelCredentials] {
        var heard: [Received<Subscription>] = reader.possibleSubscriptions(
            from: call.start, to: call.end, isFaultWindow: call.day != nil
        ).map { .current($0.value) }
        if call.day != nil { heard.append(.unavailable) }
        return right(validity, edition, title, call, heard: heard)
    }

    private func right(
        _ validity: TokenStatus, _ edition: EditionID, _ title: Int, _ call: Call, heard: [Received<Subscription>]
    ) -> [ModelCredentials] {
        let model = SoakPlan.model(title)
        let wasRejected = reader.isRejected(from: call.start, to: call.end)
        return heard.map { result in
            model.credentials(
                validity, for: edition, verdict: { .current(nil) }, heard: { result }, bought: [],
                wasRejected: { wasRejected }, at: call.start)
        }
    }

    /// Checks the public catalogue of Baker and Basispress apps.
    func showCatalogue(_ title: Int, ofBaker: Bool) async throws {
        let app = "com.example.\(SoakPlan.titles[title].id)"
        let path = ofBaker ? "/issues/\(app)/reader-\(reader.number)" : "/api/protocol.json?id=\(app)"
        let call = try await exchange(
            ofBaker ? "baker shelf" : "basispress shelf", in: title, caching: .publicCache(varies: false)
        ) {
            try await context.http.send("GET", path)
        }
        guard call.response.status == 200 else { throw fail(call, "expected status 200, because the shelf is public") }
        let shown = SoakPlan.shown(toDraftReaders: false)
        for edition in SoakPlan.editions where call.response.text.contains(edition) != shown.contains(edition) {
            throw fail(call, "unexpected edition \(edition) on the shelf")
        }
        guard context.documents.isSame("\(call.name) \(title)", call.response.body) else {
            throw fail(call, "the shelf differs between readers")
        }
        record(call, "shelf")
    }
}
