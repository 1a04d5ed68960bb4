/// The result of an operation, as the server reports it (RFC 4511 section 4.1.9 and appendix A).
public struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    public static let success = ResultCode(rawValue: 0)
    public static let operationsError = ResultCode(rawValue: 1)
    public static let timeLimitExceeded = ResultCode(rawValue: 3)
    public static let sizeLimitExceeded = ResultCode(rawValue: 4)
    public static let compareFalse = ResultCode(rawValue: 5)
    public static let compareTrue = ResultCode(rawValue: 6)
    public static let strongerAuthRequired = ResultCode(rawValue: 8)
    public static let referral = ResultCode(rawValue: 10)
    public static let confidentialityRequired = ResultCode(rawValue: 13)
    public static let noSuchAttribute = ResultCode(rawValue: 16)
    public static let undefinedAttributeType = ResultCode(rawValue: 17)
    public static let inappropriateMatching = ResultCode(rawValue: 18)
    public static let constraintViolation = ResultCode(rawValue: 19)
    public static let invalidAttributeSyntax = ResultCode(rawValue: 21)
    public static let noSuchObject = ResultCode(rawValue: 32)
    public static let invalidDNSyntax = ResultCode(rawValue: 34)
    public static let inappropriateAuthentication = ResultCode(rawValue: 48)
    public static let invalidCredentials = ResultCode(rawValue: 49)
    public static let insufficientAccessRights = ResultCode(rawValue: 50)
    public static let busy = ResultCode(rawValue: 51)
    public static let unavailable = ResultCode(rawValue: 52)
    public static let unwillingToPerform = ResultCode(rawValue: 53)
    public static let other = ResultCode(rawValue: 80)

    private static let names: [ResultCode: String] = [
        .success: "success", .operationsError: "operations error", .timeLimitExceeded: "time limit exceeded",
        .sizeLimitExceeded: "size limit exceeded", .compareFalse: "compare false", .compareTrue: "compare true",
        .strongerAuthRequired: "stronger authentication required", .referral: "referral",
        .confidentialityRequired: "confidentiality required", .noSuchAttribute: "no such attribute",
        .undefinedAttributeType: "undefined attribute type", .inappropriateMatching: "inappropriate matching",
        .constraintViolation: "constraint violation", .invalidAttributeSyntax: "invalid attribute syntax",
        .noSuchObject: "no such object", .invalidDNSyntax: "invalid DN syntax",
        .inappropriateAuthentication: "inappropriate authentication", .invalidCredentials: "invalid credentials",
        .insufficientAccessRights: "insufficient access rights", .busy: "busy", .unavailable: "unavailable",
        .unwillingToPerform: "unwilling to perform", .other: "other",
    ]

    public var description: String { Self.names[self].map { "\(rawValue) (\($0))" } ?? String(rawValue) }
}
