import Gatefold

/// Why a service's answer says nothing.
enum ServiceFailure: BackendFailure, Equatable {
    case notUnderstood(ServiceCall.Purpose, status: Int)
    case contradictory(ServiceCall.Purpose)
    case fault(ServiceCall.Purpose)
    case noValue(String)
    case undecided

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
