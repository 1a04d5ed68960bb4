import Foundation
import TestSupport

/// The calls of an app and their records.
extension SoakApp {
    static let retryLater = "retry later"

    /// A call with its time.
    struct Call {
        let name: String
        /// The publication, or nil for calls without one.
        let title: Int?
        /// The variant of the call. See ``CallVariant/labels(of:)``.
        let labels: [String]
        let start: Date
        let end: Date
        let response: RawResponse
        /// The fault that the call may have met.
        let day: String?
    }

    /// Makes one Pugpig call.
    ///
    /// - Parameter callVariant: The variant, or nil for a random one.
    func call(_ name: String, in title: Int, _ fields: [String: String], _ callVariant: CallVariant? = nil) async throws
        -> Call
    {
        let callVariant = callVariant ?? .randomVariant(for: title, using: &random)
        if callVariant.placement == .query {
            guard let call = try await calls(name, in: title, fields, callVariant, times: 1).first else {
                throw RawHTTP.NoResponse()
            }
            return call
        }
        let target = callVariant.target(name, in: title, fields)
        let (type, body) = try callVariant.body(fields)
        let headers = type.map { [("Content-Type", $0)] } ?? []
        return try await exchange(name, in: title, labels: callVariant.labels(of: name)) {
            try await context.http.post(target, headers, body)
        }
    }

    /// Makes the same call several times.
    func calls(
        _ name: String, in title: Int, _ fields: [String: String], _ callVariant: CallVariant = .plain, times: Int
    ) async throws -> [Call] {
        try await send(
            name, callVariant.target(name, in: title, fields), in: title, labels: callVariant.labels(of: name),
            times: times)
    }

    /// Sends the same GET several times in a row on one connection, byte for byte identical and in a form that the fast
    /// path serves.
    func send(
        _ name: String, _ target: String, _ fields: [(String, String)] = [], in title: Int? = nil,
        labels: [String] = [], times: Int
    ) async throws -> [Call] {
        var head = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(context.http.port)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        let request = Array("\(head)\r\n".utf8)
        let responses = try await context.http.withConnection { connection in
            var responses: [(start: Date, end: Date, response: RawResponse)] = []
            for _ in 0..<times {
                let start = Date()
                try await connection.send(request)
                let response = try await connection.readResponse()
                responses.append((start: start, end: Date(), response: response))
                if response["Connection"]?.lowercased() == "close" { break }
            }
            return responses
        }
        return try responses.map { each in
            try checked(
                Call(
                    name: name, title: title, labels: labels, start: each.start, end: each.end, response: each.response,
                    day: context.faultWindows.faultName(from: each.start, to: each.end)), .notCacheable)
        }
    }

    /// Makes one call of any kind.
    ///
    /// - Parameter rule: The caching headers of a successful response.
    func exchange(
        _ name: String, in title: Int? = nil, labels: [String] = [], caching rule: CacheRule = .notCacheable,
        _ request: () async throws -> RawResponse
    ) async throws -> Call {
        let start = Date()
        let response = try await request()
        let end = Date()
        return try checked(
            Call(
                name: name, title: title, labels: labels, start: start, end: end, response: response,
                day: context.faultWindows.faultName(from: start, to: end)), rule)
    }

    /// Checks the caching headers. Denials and failures must not be cached in any case.
    private func checked(_ call: Call, _ rule: CacheRule) throws -> Call {
        let rule = [200, 206].contains(call.response.status) ? rule : .notCacheable
        if let problem = rule.problem(to: call.response) { throw fail(call, "wrong cache headers: \(problem)") }
        return call
    }

    static func basic(_ userid: String, _ password: String) -> (String, String) {
        ("Authorization", "Basic \(Data("\(userid):\(password)".utf8).base64EncodedString())")
    }

    // MARK: - Records

    /// Counts a correct response.
    @discardableResult
    func record(_ call: Call, _ message: String, isLate: Bool = false) -> String {
        context.tally.record(call.name, message, labels: call.labels, during: call.day, isLate: isLate)
        reader.record(
            "  \(stamp(call.start))–\(stamp(call.end)) app \(app) \(place(call)): \(message) (\(call.day ?? "no fault"))"
        )
        return message
    }

    func fail(_ call: Call, _ message: String) -> Contradiction {
        Contradiction(
            message: "reader \(reader.number), app \(app): \(stamp(call.start))–\(stamp(call.end)) \(place(call)) "
                + "(\(call.day ?? "no fault")): \(message); response \(call.response.status) "
                + "\(call.response.text.prefix(600))\n\(reader.history)")
    }

    private func place(_ call: Call) -> String {
        ((call.title.map { [SoakPlan.titles[$0].id] } ?? []) + [call.name] + call.labels).joined(separator: " ")
    }

    private func stamp(_ timestamp: Date) -> String {
        String(format: "%.2f", timestamp.timeIntervalSince1970.truncatingRemainder(dividingBy: 100_000))
    }

    /// Counts a response that asks for a retry, which is correct during a fault and late otherwise.
    @discardableResult
    func unavailable(_ call: Call) throws -> String {
        guard call.response["Retry-After"] != nil else { throw fail(call, "no Retry-After") }
        return record(call, Self.retryLater, isLate: call.day == nil)
    }
}
