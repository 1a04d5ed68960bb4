import Gatefold
import Protections

/// Why an answer of a subscriber system can not be understood: never a refusal, and never "nothing" (PITFALLS row 1).
///
/// Names fields of the configuration only, no value: a value may be a reader's.
enum MappingError: AnswerFailure, Equatable, CustomStringConvertible {
    case missingField(String)
    case severalValues(String)
    case severalRecords
    case emptyState
    case unmappedState
    case unreadableDate(String)
    case unreadableEdition(String)
    case unpairedPeriods

    /// One reader's odd row must not put an end to everybody's questions.
    var isOfOneAnswer: Bool { true }

    var cause: String { description }

    var description: String {
        switch self {
        case .missingField(let field): "the answer has no field \(field)"
        case .severalValues(let field): "the answer has several values for \(field)"
        case .severalRecords: "more than one subscriber answers to these credentials"
        case .emptyState: "the answer has no state, and `empty` does not say what that means"
        case .unmappedState: "the answer has a state that the configuration does not map"
        case .unreadableDate(let field): "the answer has no readable date in \(field)"
        case .unreadableEdition(let field): "the answer has no possible edition in \(field)"
        case .unpairedPeriods: "the answer has several periods, and not as many starts as ends"
        }
    }
}
