import Gatefold
import Protections

/// Why a service's answer says nothing.
enum ServiceFailure: AnswerFailure, Equatable {
    case notUnderstood(ServiceCall.Purpose, status: Int)
    case contradictory(ServiceCall.Purpose)
    case fault(ServiceCall.Purpose)
    case noValue(String)
    case undecided

    /// A status from 500 on, a fault, and what may be meant for our own account (401, 403, 407) or for everybody (408, 429)
    /// speak of the service. Anything else it says of one reader or one edition, and the next may be understood; where only
    /// some variants could be asked, the others answered.
    var isOfOneAnswer: Bool {
        switch self {
        case .notUnderstood(.health, _), .contradictory(.health), .fault: false
        case .notUnderstood(_, let status): status < 500 && ![401, 403, 407, 408, 429].contains(status)
        case .contradictory, .noValue, .undecided: true
        }
    }

    var cause: String {
        switch self {
        case .notUnderstood(let call, let status):
            "the answer to \(call.rawValue) has status \(status) and is no answer that the configuration knows"
        case .contradictory(let call): "the answer to \(call.rawValue) is good news and a refusal at once"
        case .fault(let call): "the answer to \(call.rawValue) is a SOAP fault"
        case .noValue(let name): "the answer has not the one value `\(name)` that is needed"
        case .undecided: "not all variants could be asked, so which one is the reader's is not known"
        }
    }
}
