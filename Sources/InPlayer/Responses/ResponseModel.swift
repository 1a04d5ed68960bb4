/// A type that can be read from a response.
protocol ResponseModel: Sendable {
    /// Reads a response.
    ///
    /// - Throws: ``UnreadableResponse`` with the name of the missing member.
    init(_ response: ResponseValue) throws(UnreadableResponse)
}

/// An error that indicates that a response lacks a required member.
struct UnreadableResponse: Error, Sendable, CustomStringConvertible {
    let description: String

    init(missing name: String) { description = "expected `\(name)` in the response" }

    init(_ name: String, expected: String) { description = "expected \(expected) in `\(name)`" }
}

extension ResponseValue {
    func required<Value>(_ name: String, _ read: (ResponseValue) -> Value?) throws(UnreadableResponse) -> Value {
        guard let value = self[name].flatMap(read) else { throw UnreadableResponse(missing: name) }
        return value
    }

    /// Returns the readable entries of a member's list. Unreadable entries are skipped.
    func models<Model: ResponseModel>(_ name: String, _ type: Model.Type = Model.self) -> [Model] {
        (self[name]?.list ?? []).compactMap { try? Model($0) }
    }

    func model<Model: ResponseModel>(_ name: String, _ type: Model.Type = Model.self) -> Model? {
        self[name].flatMap { try? Model($0) }
    }
}
