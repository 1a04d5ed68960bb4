public import HTTPTypes

/// What the gate looks at in a request; nothing else in it can change the decision.
public struct GateRequest: Sendable {
    public let method: HTTPRequest.Method
    /// The target as it came over the wire, not decoded by anybody.
    public let target: String
    /// The value of every `Authorization` header.
    public let authorization: [String]
    /// Whether the request continues a download: it asks for the rest of a file in a form that every server reads alike.
    public let isResume: Bool

    public init(method: HTTPRequest.Method, target: String, authorization: [String], isResume: Bool) {
        self.method = method
        self.target = target
        self.authorization = authorization
        self.isResume = isResume
    }

    /// A request of a client whose response the gate's carrier sees.
    public init(method: HTTPRequest.Method, target: String, headers: HTTPFields) {
        self.init(
            method: method, target: target, authorization: headers[values: .authorization],
            isResume: ResumptionRule.isResume(method, headers))
    }

    /// A request of a client whose response another server makes; `headers` are what that server says about it.
    init(method: HTTPRequest.Method, target: String, forwarded headers: HTTPFields) {
        self.init(
            method: method, target: target, authorization: headers[values: .authorization],
            isResume: ResumptionRule.isUnconditionalResume(method, headers))
    }
}
