public import HTTPTypes

/// What the gate looks at in a request; nothing else in it can change the decision.
public struct GateRequest: Sendable {
    public let method: HTTPRequest.Method
    /// The target as it came over the wire, not decoded by anybody.
    public let target: String
    /// The value of every `Authorization` header.
    public let authorization: [String]
    /// Whether only later parts of a file are asked for; see ``RangeHeader/isResume``.
    public let isResume: Bool

    public init(method: HTTPRequest.Method, target: String, authorization: [String], isResume: Bool) {
        self.method = method
        self.target = target
        self.authorization = authorization
        self.isResume = isResume
    }

    /// The target in the name of which credentials and range of these headers are sent.
    public init(method: HTTPRequest.Method, target: String, headers: HTTPFields) {
        self.init(
            method: method, target: target, authorization: headers[values: .authorization],
            isResume: RangeHeader(headers[values: .range]).isResume)
    }
}
