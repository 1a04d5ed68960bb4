import Foundation
import Gatefold
import TestSupport

/// What edition credentials open: exactly their edition.
extension SoakApp {
    /// Where content is asked for.
    enum Door: String, CaseIterable {
        case fileServer = "download"
        case fileServerHead = "HEAD of a download"
        /// The endpoint that other servers ask.
        case authRequest = "auth_request"
    }

    /// What is asked for with a pair.
    struct Errand {
        var edition: String
        var title: Int
        var door = Door.fileServer
        /// All but the beginning is asked for; a HEAD has no part.
        var isResume = false
    }

    func download() async throws {
        guard let pair = pairs.draw(using: &random) else { return }
        var errand = Errand(edition: pair.edition, title: pair.token.title)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: errand.edition = SoakPlan.editions.randomElement(using: &random) ?? pair.edition
        case 1: errand.title = Int.random(in: 0..<SoakPlan.titles.count, using: &random)
        default: break
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: errand.door = .fileServerHead
        case 1..<4: errand.door = .authRequest
        default: break
        }
        errand.isResume = errand.door != .fileServerHead && Bool.random(using: &random)
        try await download(with: pair, errand)
    }

    func download(with pair: Pair, _ errand: Errand) async throws {
        let path = "/content/\(SoakPlan.titles[errand.title].id)/\(errand.edition)/index.html"
        var fields = [Self.basic(pair.userid, pair.password)]
        if errand.isResume { fields.append(("Range", "bytes=1000-")) }
        for call in try await fetch(path, fields, errand.door) {
            let isAllowed = call.answer.status == (errand.isResume && errand.door != .authRequest ? 206 : 200)
            if isAllowed {
                let start = errand.isResume ? 1000 : 0
                try checkContent(call, "\(errand.edition)/index.html", errand.door, from: start)
            }
            try judge(call, pair, errand, isAllowed: isAllowed)
        }
    }

    /// Asks for content.
    func fetch(
        _ path: String, _ fields: [(String, String)], _ door: Door, feed: Bool = false
    ) async throws -> [Call] {
        let name = feed ? "feed's \(door.rawValue)" : door.rawValue
        guard door == .authRequest else {
            let call = try await exchange(name, caching: .readers) {
                try await scene.http.send(door == .fileServerHead ? "HEAD" : "GET", path, fields)
            }
            return [call]
        }
        return try await ask(
            name, "/auth-request/original-uri", fields + [("X-Original-URI", path), ("X-Original-Method", "GET")],
            times: times())
    }

    /// Whether the bytes are the file's own.
    func checkContent(_ call: Call, _ file: String, _ door: Door, from start: Int = 0) throws {
        let bytes = EditionShelf.bytes(of: file)
        let isRight =
            switch door {
            case .fileServer: call.answer.body == Array(bytes[start...])
            case .fileServerHead: call.answer.body.isEmpty && call.answer["Content-Length"] == "\(bytes.count)"
            case .authRequest: call.answer.body.isEmpty
            }
        guard isRight else { throw fail(call, "not the bytes of \(file)") }
    }

    private func judge(_ call: Call, _ pair: Pair, _ errand: Errand, isAllowed: Bool) throws {
        guard isAllowed || call.answer.status == 403 else { throw fail(call, "expected the content or 403") }
        let isFree = errand.edition == SoakPlan.free
        let isTheirs = errand.edition == pair.edition && errand.title == pair.token.title
        var (may, must) = (isFree, isFree)
        let sitting = pair.token.sitting
        if isTheirs {
            let end = pair.expires.addingTimeInterval(errand.isResume ? SoakPlan.Times.resumeWindow : 0)
            may = may || call.start < end && !sitting.isEnded(at: call.start)
            must = must || call.end < end && !sitting.mayBeEnded(by: call.end)
        }
        guard isAllowed ? may : !must else {
            throw fail(
                call,
                "\(errand.edition) of \(SoakPlan.titles[errand.title].id) with credentials for \(pair.edition) of "
                    + "\(SoakPlan.titles[pair.token.title].id), asked for \(pair.asked), good until \(pair.expires), "
                    + "resumes: \(errand.isResume)")
        }
        if isAllowed {
            note(call, isFree ? "content, free" : call.start < pair.expires ? "content" : "content, resumed late")
        } else if !isTheirs {
            note(call, "refused, not theirs")
        } else {
            note(call, sitting.mayBeEnded(by: call.end) ? "refused, \(sitting.ending)" : "refused, over")
        }
    }
}

extension SoakApp.Pair {
    /// The same as if it had been given out earlier: good until the beginning of this minute, or of one before.
    ///
    /// It is made with the publisher's own secret, as the program makes them.
    ///
    /// - Parameter minutes: so many before this one.
    func aged(by minutes: Int) throws -> Self {
        let now = (Date().timeIntervalSince1970 / 60).rounded(.down)
        let end = Date(timeIntervalSince1970: (now - Double(minutes)) * 60)
        guard let id = EditionID(edition), let salt = SoakPlan.salt(userid, for: id, in: token.title),
            let old = try SoakPlan.sealer(token.title)?.seal(
                SealedSalt(
                    expiresAt: end, subscriber: salt.subscriber, session: salt.session,
                    sessionIssuedAt: salt.sessionIssuedAt), for: id)
        else { throw Soak.Failed(description: "\(userid) is no salt for \(edition)") }
        return Self(
            userid: old, password: SoakPlan.password(old, for: id, in: token.title), edition: edition, token: token,
            asked: asked, expires: end)
    }
}
