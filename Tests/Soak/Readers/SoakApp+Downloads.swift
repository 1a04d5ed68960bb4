import Foundation
import Gatefold
import TestSupport

/// Downloads with edition credentials, which open exactly their edition.
extension SoakApp {
    /// The server to which a request for content is sent.
    enum ContentRoute: String, CaseIterable {
        case fileServer = "download"
        case fileServerHead = "HEAD of a download"
        /// The endpoint that other servers query.
        case authRequest = "auth_request"
    }

    /// The kind of a download with a pair.
    struct DownloadTask {
        var edition: String
        var title: Int
        var contentRoute = ContentRoute.fileServer
        /// Whether the request is for everything except the beginning. A HEAD request has no range.
        var isResume = false
    }

    func download() async throws {
        guard let pair = pairs.draw(using: &random) else { return }
        var downloadTask = DownloadTask(edition: pair.edition, title: pair.token.title)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: downloadTask.edition = SoakPlan.editions.randomElement(using: &random) ?? pair.edition
        case 1: downloadTask.title = Int.random(in: 0..<SoakPlan.titles.count, using: &random)
        default: break
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: downloadTask.contentRoute = .fileServerHead
        case 1..<4: downloadTask.contentRoute = .authRequest
        default: break
        }
        downloadTask.isResume = downloadTask.contentRoute != .fileServerHead && Bool.random(using: &random)
        try await download(with: pair, downloadTask)
    }

    func download(with pair: Pair, _ downloadTask: DownloadTask) async throws {
        let path = "/content/\(SoakPlan.titles[downloadTask.title].id)/\(downloadTask.edition)/index.html"
        var fields = [Self.basic(pair.userid, pair.password)]
        if downloadTask.isResume { fields.append(("Range", "bytes=1000-")) }
        for call in try await fetch(path, fields, downloadTask.contentRoute) {
            let isAllowed =
                call.response.status == (downloadTask.isResume && downloadTask.contentRoute != .authRequest ? 206 : 200)
            if isAllowed {
                let start = downloadTask.isResume ? 1000 : 0
                try checkContent(call, "\(downloadTask.edition)/index.html", downloadTask.contentRoute, from: start)
            }
            try judge(call, pair, downloadTask, isAllowed: isAllowed)
        }
    }

    /// Requests content.
    func fetch(
        _ path: String, _ fields: [(String, String)], _ contentRoute: ContentRoute, feed: Bool = false
    ) async throws -> [Call] {
        let name = feed ? "feed's \(contentRoute.rawValue)" : contentRoute.rawValue
        guard contentRoute == .authRequest else {
            let call = try await exchange(name, caching: .readers) {
                try await context.http.send(contentRoute == .fileServerHead ? "HEAD" : "GET", path, fields)
            }
            return [call]
        }
        return try await send(
            name, "/auth-request/original-uri", fields + [("X-Original-URI", path), ("X-Original-Method", "GET")],
            times: times())
    }

    /// Checks that the bytes are those of the file.
    func checkContent(_ call: Call, _ file: String, _ contentRoute: ContentRoute, from start: Int = 0) throws {
        let bytes = EditionStore.bytes(of: file)
        let isCorrect =
            switch contentRoute {
            case .fileServer: call.response.body == Array(bytes[start...])
            case .fileServerHead: call.response.body.isEmpty && call.response["Content-Length"] == "\(bytes.count)"
            case .authRequest: call.response.body.isEmpty
            }
        guard isCorrect else { throw fail(call, "the bytes differ from \(file)") }
    }

    private func judge(_ call: Call, _ pair: Pair, _ downloadTask: DownloadTask, isAllowed: Bool) throws {
        guard isAllowed || call.response.status == 403 else { throw fail(call, "expected the content or 403") }
        let isFree = downloadTask.edition == SoakPlan.free
        let isTheirs = downloadTask.edition == pair.edition && downloadTask.title == pair.token.title
        var (may, must) = (isFree, isFree)
        let trackedSession = pair.token.trackedSession
        if isTheirs {
            let end = pair.expires.addingTimeInterval(downloadTask.isResume ? SoakPlan.Times.resumeWindow : 0)
            may = may || call.start < end && !trackedSession.hasEnded(at: call.start)
            must = must || call.end < end && !trackedSession.mayBeEnded(by: call.end)
        }
        guard isAllowed ? may : !must else {
            throw fail(
                call,
                "\(downloadTask.edition) of \(SoakPlan.titles[downloadTask.title].id) with credentials for \(pair.edition) of "
                    + "\(SoakPlan.titles[pair.token.title].id), requested \(pair.requested), valid until \(pair.expires), "
                    + "resumes: \(downloadTask.isResume)")
        }
        if isAllowed {
            record(call, isFree ? "content, free" : call.start < pair.expires ? "content" : "content, resumed late")
        } else if !isTheirs {
            record(call, "denied, other edition")
        } else {
            record(
                call,
                trackedSession.mayBeEnded(by: call.end)
                    ? "denied, \(trackedSession.ending)" : "denied, credentials expired")
        }
    }
}

extension SoakApp.Pair {
    /// Returns the same credentials with an earlier expiry: the start of this minute or of an earlier one.
    ///
    /// They are made with the publisher's own secret like the program's.
    ///
    /// - Parameter minutes: The number of minutes before this one.
    func aged(by minutes: Int) throws -> Self {
        let now = (Date().timeIntervalSince1970 / 60).rounded(.down)
        let end = Date(timeIntervalSince1970: (now - Double(minutes)) * 60)
        guard let id = EditionID(edition), let salt = SoakPlan.salt(userid, for: id, in: token.title),
            let old = try SoakPlan.sealer(token.title)?.seal(
                SealedSalt(
                    expiresAt: end, subscriber: salt.subscriber, session: salt.session,
                    sessionIssuedAt: salt.sessionIssuedAt), for: id)
        else { throw Soak.Failed(description: "\(userid) is not a salt for \(edition)") }
        return Self(
            userid: old, password: SoakPlan.password(old, for: id, in: token.title), edition: edition, token: token,
            requested: requested, expires: end)
    }
}
