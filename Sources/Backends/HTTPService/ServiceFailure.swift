import Primitives

/// A failure to interpret a service's response.
enum ServiceFailure: RequestScopedFailure, Equatable {
    case unrecognizedResponse(ServiceCall.Purpose, status: Int)
    case contradictory(ServiceCall.Purpose)
    case fault(ServiceCall.Purpose)
    case noValue(String)
    case undecided

    /// A Boolean value that indicates whether the failure concerns a single response. A status from 500 on, a SOAP
    /// fault, and statuses that may concern our own account (401, 403, 407) or all clients (408, 429) concern the
    /// whole service. Any other failure concerns one reader or one edition, and the next response may be
    /// understood. ``undecided`` concerns one response, because some variants failed and the others responded.
    var isRequestScoped: Bool {
        switch self {
        case .unrecognizedResponse(.health, _), .contradictory(.health), .fault: false
        case .unrecognizedResponse(_, let status): status < 500 && ![401, 403, 407, 408, 429].contains(status)
        case .contradictory, .noValue, .undecided: true
        }
    }

    var cause: String {
        switch self {
        case .unrecognizedResponse(let call, let status):
            "the response to \(call.rawValue) has status \(status) and matches no rule of the configuration"
        case .contradictory(let call): "the response to \(call.rawValue) is a success and a rejection at once"
        case .fault(let call): "the response to \(call.rawValue) is a SOAP fault"
        case .noValue(let name): "the response does not have exactly one value `\(name)`"
        case .undecided: "not all variants could be called, so the reader's variant is unknown"
        }
    }
}
