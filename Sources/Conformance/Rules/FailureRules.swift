/// A subscriber system that can not answer is not one that says no (PROTOCOLS 1.2, PITFALLS row 9).
enum FailureRules {
    static let all = [direction, retryAfter]

    static let direction = Rule(
        "failure-direction", "A question that can not be answered is a failed call, never a refusal",
        source: "PROTOCOLS 1.2: any 2xx overwrites the last known good state; PITFALLS 9",
        fix: "Answer 503: the app then keeps the state it knows, and the reader keeps reading."
    ) { evidence in
        .eachAnswer(evidence.exchanges(.failing), none: "no reader is known whose subscriber system fails") { answer in
            answer.status >= 500 ? nil : "answered with \(answer.status)"
        }
    }

    static let retryAfter = Rule(
        "failure-retry", "A 503 says when to ask again", source: "DESIGN rule 4; RFC 9110 section 10.2.3",
        fix: "Send Retry-After, so that a push notification does not become a storm."
    ) { evidence in
        let unavailable = evidence.direct.filter { $0.answer?.status == 503 }
        return .eachAnswer(unavailable, none: "nothing was answered with 503", as: .warning) { answer in
            answer["Retry-After"] == nil ? "there is no Retry-After" : nil
        }
    }
}
