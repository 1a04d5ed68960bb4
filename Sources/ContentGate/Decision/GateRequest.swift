public import HTTPTypes

/// The parts of a request that the gate reads. No other part can change the decision.
public struct GateRequest: Sendable {
    public let method: HTTPRequest.Method
    /// The target as received, not decoded.
    public let target: String
    /// The value of each `Authorization` header.
    public let authorization: [String]
    /// A Boolean value that indicates whether the request continues a download.
    ///
    /// Such a request asks for the rest of a file in a format that every server reads alike.
    public let isResume: Bool

    public init(method: HTTPRequest.Method, target: String, authorization: [String], isResume: Bool) {
        self.method = method
        self.target = target
        self.authorization = authorization
        self.isResume = isResume
    }

    /// Creates the request of a client whose response the gate's entry point sees.
    public init(method: HTTPRequest.Method, target: String, headers: HTTPFields) {
        self.init(
            method: method, target: target, authorization: headers[values: .authorization],
            isResume: ResumptionRule.isResume(method, headers))
    }

    /// Creates the request of a client whose response another server makes.
    ///
    /// - Parameter headers: The request headers as that server forwards them.
    init(method: HTTPRequest.Method, target: String, forwarded headers: HTTPFields) {
        self.init(
            method: method, target: target, authorization: headers[values: .authorization],
            isResume: ResumptionRule.isUnconditionalResume(method, headers))
    }
}
