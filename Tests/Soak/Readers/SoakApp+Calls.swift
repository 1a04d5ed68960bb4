import Foundation
import TestSupport

/// How an app calls, and what is noted of it.
extension SoakApp {
    static let comeBackLater = "come back later"

    /// What one call was, and when.
    struct Call {
        let name: String
        /// Nil for those of no publication.
        let title: Int?
        /// In which way it was made; see ``Way/marks(of:)``.
        let marks: [String]
        let start: Date
        let end: Date
        let answer: RawResponse
        /// The bad day that it may have met.
        let day: String?
    }

    /// One Pugpig call.
    ///
    /// - Parameter way: nil for any.
    func call(_ name: String, in title: Int, _ fields: [String: String], _ way: Way? = nil) async throws -> Call {
        let way = way ?? .drawn(for: title, using: &random)
        if way.carrier == .query {
            guard let call = try await calls(name, in: title, fields, way, times: 1).first else {
                throw RawHTTP.NoAnswer()
            }
            return call
        }
        let target = way.target(name, in: title, fields)
        let (type, body) = try way.body(fields)
        let headers = type.map { [("Content-Type", $0)] } ?? []
        return try await exchange(name, in: title, marks: way.marks(of: name)) {
            try await scene.http.post(target, headers, body)
        }
    }

    /// The same query so many times.
    func calls(
        _ name: String, in title: Int, _ fields: [String: String], _ way: Way = .plain, times: Int
    ) async throws -> [Call] {
        try await ask(name, way.target(name, in: title, fields), in: title, marks: way.marks(of: name), times: times)
    }

    /// The same GET so many times, one right after the other on one connection: byte for byte the same request, and as plain as
    /// the fast lane wants it.
    func ask(
        _ name: String, _ target: String, _ fields: [(String, String)] = [], in title: Int? = nil,
        marks: [String] = [], times: Int
    ) async throws -> [Call] {
        var head = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(scene.http.port)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        let request = Array("\(head)\r\n".utf8)
        let answers = try await scene.http.withConnection { connection in
            var answers: [(start: Date, end: Date, answer: RawResponse)] = []
            for _ in 0..<times {
                let start = Date()
                try await connection.send(request)
                let answer = try await connection.readAnswer()
                answers.append((start: start, end: Date(), answer: answer))
                if answer["Connection"]?.lowercased() == "close" { break }
            }
            return answers
        }
        return try answers.map { each in
            try checked(
                Call(
                    name: name, title: title, marks: marks, start: each.start, end: each.end, answer: each.answer,
                    day: scene.badDays.met(from: each.start, to: each.end)), .nobodys)
        }
    }

    /// One call of any kind.
    ///
    /// - Parameter rule: what its answer says to caches where it gives what was asked for.
    func exchange(
        _ name: String, in title: Int? = nil, marks: [String] = [], caching rule: CacheRule = .nobodys,
        _ request: () async throws -> RawResponse
    ) async throws -> Call {
        let start = Date()
        let answer = try await request()
        let end = Date()
        return try checked(
            Call(
                name: name, title: title, marks: marks, start: start, end: end, answer: answer,
                day: scene.badDays.met(from: start, to: end)), rule)
    }

    /// Refusals and failures are no cache's in any case.
    private func checked(_ call: Call, _ rule: CacheRule) throws -> Call {
        let rule = [200, 206].contains(call.answer.status) ? rule : .nobodys
        if let objection = rule.objection(to: call.answer) { throw fail(call, "caches are told \(objection)") }
        return call
    }

    static func basic(_ userid: String, _ password: String) -> (String, String) {
        ("Authorization", "Basic \(Data("\(userid):\(password)".utf8).base64EncodedString())")
    }

    // MARK: - What is noted

    /// Counts an answer that was right.
    @discardableResult
    func note(_ call: Call, _ words: String, isLate: Bool = false) -> String {
        scene.tally.note(call.name, words, marks: call.marks, during: call.day, isLate: isLate)
        reader.note(
            "  \(stamp(call.start))–\(stamp(call.end)) app \(app) \(place(call)): \(words) (\(call.day ?? "good day"))")
        return words
    }

    func fail(_ call: Call, _ words: String) -> Contradiction {
        Contradiction(
            words: "reader \(reader.number), app \(app): \(stamp(call.start))–\(stamp(call.end)) \(place(call)) "
                + "(\(call.day ?? "good day")): \(words); answered \(call.answer.status) "
                + "\(call.answer.text.prefix(600))\n\(reader.history)")
    }

    private func place(_ call: Call) -> String {
        ((call.title.map { [SoakPlan.titles[$0].id] } ?? []) + [call.name] + call.marks).joined(separator: " ")
    }

    private func stamp(_ moment: Date) -> String {
        String(format: "%.2f", moment.timeIntervalSince1970.truncatingRemainder(dividingBy: 100_000))
    }

    /// "Come back later" is right on a bad day, and late on a good one.
    @discardableResult
    func comeBack(_ call: Call) throws -> String {
        guard call.answer["Retry-After"] != nil else { throw fail(call, "no Retry-After") }
        return note(call, Self.comeBackLater, isLate: call.day == nil)
    }
}
