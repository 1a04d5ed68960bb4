import Gatefold
import OutgoingRequests
import TestSupport
import Testing

@testable import Backends

@Suite("Answers of another endpoint") struct PugpigDocumentTests {
    private func answer(_ body: String, status: Int = 200, later: String? = nil) -> HTTPAnswer {
        HTTPAnswer(
            status: status, headers: later.map { [HTTPQuestion.Header(name: "retry-after", value: $0)] } ?? [],
            body: Array(body.utf8))
    }

    @Test("A token stands in `token` or in `result_response/authToken`; an error is a refusal")
    func tokens() throws {
        #expect(
            try PugpigDocuments.token(answer("<token>a:b{\"c\"}</token>")) == .token("a:b{\"c\"}", opensFeed: false))
        #expect(
            try PugpigDocuments.token(answer("<token global_auth_password='ab'>t</token><!-- x -->"))
                == .token("t", opensFeed: true))
        #expect(
            try PugpigDocuments.token(answer("<result_response><authToken>t</authToken></result_response>"))
                == .token("t", opensFeed: false))
        #expect(
            try PugpigDocuments.token(answer("<error status='notrecognised' message='No &amp; no'/>"))
                == .refused(message: "No & no"))
        #expect(try PugpigDocuments.token(answer("<error/>")) == .refused(message: nil))
    }

    @Test("Pitfall 1: no list is everything for the active only, and an empty list is nothing")
    func subscriptions() throws {
        for (body, state, entitlement) in [
            ("<subscription state='active'/>", .active, .allEditions),
            ("<subscription state='active'><issues/></subscription>", .active, .editions([])),
            ("<subscription state='inactive'/>", .inactive, .editions([])),
            ("<subscription state='suspended'/>", .suspended, .editions([])),
            ("<subscription state='stale'/>", .stale, .editions([])),
            ("<subscription state='unknown'/>", .unknown, .editions([])),
            (
                "<subscription state='inactive'><issues><issue> a.1 </issue></issues></subscription>", .inactive,
                .editions([try #require(EditionID("a.1"))])
            ),
        ] as [(String, SubscriptionState, Entitlement)] {
            let told = try PugpigDocuments.subscription(answer(body))
            #expect(told.state == state && told.entitlement == entitlement, "\(body)")
        }
        let told = try PugpigDocuments.subscription(
            answer(
                """
                <subscription state="active" message="Hello"><!-- c --><userinfo><category scheme="a" term="1"/>
                <category scheme="b" value="2"/><category term="3"/></userinfo></subscription>
                """))
        #expect(told.message == "Hello")
        #expect(told.userInfo.map(\.scheme) == ["a", "b"] && told.userInfo.map(\.value) == ["1", "2"])
    }

    @Test("Credentials are a yes; an error is a no with its reason, or without one")
    func verdicts() throws {
        for (body, verdict) in [
            ("<credentials><userid>u</userid><password>p</password></credentials>", .granted),
            (
                "<credentials><error status='notentitled' message='m'/></credentials>",
                .refused(.notEntitled, message: "m")
            ),
            ("<credentials><error status='expired'/></credentials>", .refused(.expired, message: nil)),
            ("<credentials><error status='notrecognised'/></credentials>", .refused(.notRecognised, message: nil)),
            ("<credentials><error message='m'/></credentials>", .refused(nil, message: "m")),
            ("<credentials><error status='odd'/></credentials>", .refused(.notEntitled, message: nil)),
            ("<error status='notrecognised'/>", .refused(.notRecognised, message: nil)),
        ] as [(String, EditionVerdict)] {
            #expect(try PugpigDocuments.verdict(answer(body)) == verdict, "\(body)")
        }
    }

    @Test("Pitfall 9: whatever is no whole answer of the protocol is an outage, to every question")
    func outages() {
        let bodies = [
            "", " ", "OK", "{}", "<html><body>Error</body></html>", "<token/>", "<token> </token>",
            "<result_response/>",
            "<subscription/>", "<subscription state=''/>", "<subscription state='ACTIVE'/>",
            "<subscription state='paid'/>",
            "<subscription state='active'", "<subscription state='active'><issues><issue/></issues></subscription>",
            "<subscription state='active'><issues>a</issues><issues/></subscription>",
            "<subscription state='active'><issues><edition>a</edition></issues></subscription>", "<credentials/>",
            "<credentials><userid>u</userid></credentials>",
            "<credentials><userid/><password>p</password></credentials>", "<!DOCTYPE x><token>t</token>",
        ]
        for body in bodies { expectOutage(answer(body)) }
        for status in [201, 204, 301, 400, 401, 403, 404, 429, 500, 503] {
            expectOutage(answer("<error status='notrecognised'/>", status: status))
        }
        // A throttled or unavailable endpoint says so with a refusal and a time.
        expectOutage(answer("<error status='notrecognised'/>", later: "30"))
        expectOutage(answer("<credentials><error status='notentitled'/></credentials>", later: "30"))
    }

    @Test(
        "Pitfalls 1 and 38: only the absence of any content is everything; what is not understood is an outage",
        arguments: [
            "<Issues><issue>a.1</issue></Issues>", "<ISSUES/>", "<issue>a.1</issue>", "<issue_list/>",
            "<issueList><issue>a.1</issue></issueList>", "<error status='internal'/>", "<Error/>", "<exception/>",
            "a.1", "null", "[]", "<![CDATA[a.1]]>", "<![CDATA[<issues/>]]>",
            "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='issues.xml'/>", "<editions/>",
            "<products><product>a.1</product></products>", "<data><issues/></data>", "<?issues a.1?>",
            "<userinfo><issues><issue>a.1</issue></issues></userinfo>", "<userinfo>a.1</userinfo>",
            "<userinfo/><userinfo/>", "<issues>a.1</issues>", "<issues><Issue>a.1</Issue></issues>",
            "<issues><issues/></issues>", "<issues><issue>a.1<b/></issue></issues>", "<issues/><entitled/>",
            "<issues/><error status='internal'/>", "<issues><?php?></issues>",
            "<userinfo><category scheme='s' term='t'><issues/></category></userinfo>",
            "&#160;", "&#x200B;", "&#x85;", "&#x2028;", "<userinfo>&#160;</userinfo>", "<issues>&#x3000;</issues>",
            "<x:issues xmlns:x='urn:x'/>", "<issues xmlns='urn:x'><issue>a.1</issue></issues>",
            "<issues><x:issue xmlns:x='urn:x'>a.1</x:issue></issues>", "<userinfo xmlns='urn:x'/>",
        ])
    func notUnderstood(content: String) {
        for state in SubscriptionState.allCases {
            let answer = answer("<subscription state=\"\(state.rawValue)\">\(content)</subscription>")
            #expect(throws: PugpigFailure.unexpectedDocument) { try PugpigDocuments.subscription(answer) }
        }
    }

    @Test(
        "Pitfalls 1 and 38: an element that says more than a state and a message, or is not the protocol's, is an outage",
        arguments: [
            "<subscription state='active' error='backend down'/>", "<subscription state='active' issues='none'/>",
            "<subscription state='active' issues=''/>", "<subscription state='active' status='503'/>",
            "<subscription state='active' Message='m'/>", "<subscription state='active' xml:lang='de'/>",
            "<subscription state='active' xmlns='urn:x'/>", "<x:subscription state='active' xmlns:x='urn:x'/>",
            "<subscription x:state='active' xmlns:x='urn:x'/>",
            "<subscription state='active' x:state='inactive' xmlns:x='urn:x'/>",
            "<?php Fatal error?><subscription state='active'/>", "<subscription state='active'/><?php Fatal error?>",
            "<!-- c --><?x?><!-- c --><subscription state='active'/>",
        ])
    func moreThanTheProtocol(document: String) {
        #expect(throws: PugpigFailure.unexpectedDocument) { try PugpigDocuments.subscription(answer(document)) }
    }

    @Test(
        "All that endpoints say of an active reader who holds everything is understood",
        arguments: [
            "<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n<subscription state='active' message='m'/>\n",
            "<subscription state='active' message=''>\r\n\t <!-- Generated: now --> </subscription><!-- c -->",
            "<!-- c --><subscription message='m' state='active'><userinfo/></subscription>",
            """
            <subscription state='active'><userinfo><category scheme='http://schema.pugpig.com/custom_analytics/username#15'
            value='v'/><category scheme='s' term='t' label='l'/></userinfo></subscription>
            """,
        ])
    func everything(document: String) throws {
        let told = try PugpigDocuments.subscription(answer(document))
        #expect(told.state == .active && told.entitlement == .allEditions)
    }

    @Test("Pitfall 1: a token or credentials with something else inside are an outage")
    func mixedDocuments() {
        for body in [
            "<token>t<error status='notrecognised'/></token>",
            "<result_response><authToken>t<x/></authToken></result_response>",
            "<result_response><authToken>t</authToken><Error/></result_response>",
            "<result_response><authToken>t</authToken><authToken>u</authToken></result_response>",
            "<?php Fatal error?><token>t</token>", "<token xmlns='urn:x'>t</token>", "<token>&#160;</token>",
            "<result_response><authToken xmlns='urn:x'>t</authToken></result_response>",
        ] {
            #expect(throws: PugpigFailure.unexpectedDocument, "\(body)") { try PugpigDocuments.token(answer(body)) }
        }
        let pair = "<userid>u</userid><password>p</password>"
        for inside in [
            pair + "<Error status='notentitled'/>", pair + "<ERROR/>", pair + "not entitled", pair + pair,
            "<userid>u<x/></userid><password>p</password>", pair + "<?x?>",
        ] {
            #expect(throws: PugpigFailure.unexpectedDocument, "\(inside)") {
                try PugpigDocuments.verdict(answer("<credentials>\(inside)</credentials>"))
            }
        }
    }

    private func expectOutage(_ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(throws: PugpigFailure.self, "\(text)", sourceLocation: sourceLocation) {
            try PugpigDocuments.token(answer)
        }
        #expect(throws: PugpigFailure.self, "\(text)", sourceLocation: sourceLocation) {
            try PugpigDocuments.subscription(answer)
        }
        #expect(throws: PugpigFailure.self, "\(text)", sourceLocation: sourceLocation) {
            try PugpigDocuments.verdict(answer)
        }
    }

    @Test("Of 10,000 damaged answers none opens more than the whole one")
    func fuzz() {
        let whole = Array("<subscription state=\"inactive\"><issues><issue>a.1</issue></issues></subscription>".utf8)
        var random = SeededRandom(seed: 13)
        for _ in 0..<10_000 {
            var bytes = whole
            for _ in 0...Int.random(in: 0...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                if Bool.random(using: &random) {
                    bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                } else {
                    bytes.remove(at: place)
                }
            }
            let answer = HTTPAnswer(status: 200, headers: [], body: bytes)
            if let told = try? PugpigDocuments.subscription(answer) {
                guard told.entitlement != .allEditions else {
                    Issue.record("\(String(decoding: bytes, as: UTF8.self))")
                    return
                }
            }
        }
    }

    @Test("What is kept of a sign-in comes back as it was")
    func sessions() {
        for token in ["t", "f", "-", "{\"a\": \"b\n\"}", "  "] {
            for opensFeed in [true, false] {
                let session = PugpigSession(token: token, opensFeed: opensFeed)
                #expect(PugpigSession(session.text) == session)
            }
        }
        for bad in ["", "f", "-", "x1"] { #expect(PugpigSession(bad) == nil) }
    }
}
