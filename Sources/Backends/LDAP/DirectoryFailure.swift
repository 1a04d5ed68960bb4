public import LDAP
public import Primitives

extension LDAPError: BackendFailure {
    public var cause: String { description }
}

/// The reason for the failure of a directory, apart from its connection. It names no entry and no value.
enum DirectoryFailure: BackendFailure, Equatable {
    case serviceBind(ResultCode)
    case readerBind(ResultCode)
    case compare(ResultCode)
    case baseMissing
    case referralReceived
    case tooManyGroups
    case unreadableValue(String)
    case withoutKey(String)

    var cause: String {
        switch self {
        case .serviceBind(let code): "the directory responded to the bind of `service` with \(code)"
        case .readerBind(let code): "the directory responded to a reader's bind with \(code)"
        case .compare(let code): "the directory responded to a compare with \(code)"
        case .baseMissing: "the directory has no entry at `base`, or does not show it"
        case .referralReceived: "the directory's response refers to another server, and `referrals` is `fail`"
        case .tooManyGroups: "a reader is in more groups than are read"
        case .unreadableValue(let attribute): "the directory has a value of \(attribute) that is not text"
        case .withoutKey(let attribute): "the directory has an entry without exactly one \(attribute), the `key`"
        }
    }
}
