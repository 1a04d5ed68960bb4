import Gatefold
import OutgoingRequests
import TestSupport
import Testing

@testable import Backends

@Suite("Documents of a Pugpig endpoint") struct PugpigDocumentTests {
    private func response(_ body: String, status: Int = 200, later: String? = nil) -> OutboundResponse {
        OutboundResponse(
            status: status, headers: later.map { [OutboundRequest.Header(name: "retry-after", value: $0)] } ?? [],
            body: Array(body.utf8))
    }

    @Test("A token is in `token` or in `result_response/authToken`; an error is a rejection")
    func tokens() throws {
        #expect(
            try PugpigDocuments.token(response("<token>a:b{\"c\"}</token>")) == .token("a:b{\"c\"}", opensFeed: false))
        #expect(
            try PugpigDocuments.token(response("<token global_auth_password='ab'>t</token><!-- x -->"))
                == .token("t", opensFeed: true))
        #expect(
            try PugpigDocuments.token(response("<result_response><authToken>t</authToken></result_response>"))
                == .token("t", opensFeed: false))
        #expect(
            try PugpigDocuments.token(response("<error status='notrecognised' message='No &amp; no'/>"))
                == .rejected(message: "No & no"))
        #expect(try PugpigDocuments.token(response("<error/>")) == .rejected(message: nil))
    }

    @Test("Pitfall 1: a missing list is everything for active readers only, and an empty list is nothing")
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
            let reported = try PugpigDocuments.subscription(response(body))
            #expect(reported.state == state && reported.entitlement == entitlement, "\(body)")
        }
        let reported = try PugpigDocuments.subscription(
            response(
                """
                <subscription state="active" message="Hello"><!-- c --><userinfo><category scheme="a" term="1"/>
                <category scheme="b" value="2"/><category term="3"/></userinfo></subscription>
                """))
        #expect(reported.message == "Hello")
        #expect(reported.userInfo.map(\.scheme) == ["a", "b"] && reported.userInfo.map(\.value) == ["1", "2"])
    }

    @Test("Credentials are a grant; an error is a denial with or without a reason")
    func verdicts() throws {
        for (body, verdict) in [
            ("<credentials><userid>u</userid><password>p</password></credentials>", .granted),
            (
                "<credentials><error status='notentitled' message='m'/></credentials>",
                .rejected(.notEntitled, message: "m")
            ),
            ("<credentials><error status='expired'/></credentials>", .rejected(.expired, message: nil)),
            ("<credentials><error status='notrecognised'/></credentials>", .rejected(.rejected, message: nil)),
            ("<credentials><error message='m'/></credentials>", .rejected(nil, message: "m")),
            ("<credentials><error status='odd'/></credentials>", .rejected(.notEntitled, message: nil)),
            ("<error status='notrecognised'/>", .rejected(.rejected, message: nil)),
        ] as [(String, EditionVerdict)] {
            #expect(try PugpigDocuments.verdict(response(body)) == verdict, "\(body)")
        }
    }

    @Test("Pitfall 9: an incomplete or foreign document is an outage for every call")
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
        for body in bodies { expectOutage(response(body)) }
        for status in [201, 204, 301, 400, 401, 403, 404, 429, 500, 503] {
            expectOutage(response("<error status='notrecognised'/>", status: status))
        }
        // A throttled or unavailable endpoint reports it with a rejection and a retry time.
        expectOutage(response("<error status='notrecognised'/>", later: "30"))
        expectOutage(response("<credentials><error status='notentitled'/></credentials>", later: "30"))
    }

    @Test(
        "Pitfalls 1 and 38: only a subscription without content is everything; unknown content is an outage",
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
    func unrecognizedResponse(content: String) {
        for state in SubscriptionState.allCases {
            let response = response("<subscription state=\"\(state.rawValue)\">\(content)</subscription>")
            #expect(throws: PugpigFailure.unexpectedDocument) { try PugpigDocuments.subscription(response) }
        }
    }

    @Test(
        "Pitfalls 1 and 38: an unknown attribute, namespace or instruction is an outage",
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
        #expect(throws: PugpigFailure.unexpectedDocument) { try PugpigDocuments.subscription(response(document)) }
    }

    @Test(
        "Every usual document of an active reader with all editions is understood",
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
        let reported = try PugpigDocuments.subscription(response(document))
        #expect(reported.state == .active && reported.entitlement == .allEditions)
    }

    @Test("Pitfall 1: a token or credentials with foreign content are an outage")
    func mixedDocuments() {
        for body in [
            "<token>t<error status='notrecognised'/></token>",
            "<result_response><authToken>t<x/></authToken></result_response>",
            "<result_response><authToken>t</authToken><Error/></result_response>",
            "<result_response><authToken>t</authToken><authToken>u</authToken></result_response>",
            "<?php Fatal error?><token>t</token>", "<token xmlns='urn:x'>t</token>", "<token>&#160;</token>",
            "<result_response><authToken xmlns='urn:x'>t</authToken></result_response>",
        ] {
            #expect(throws: PugpigFailure.unexpectedDocument, "\(body)") { try PugpigDocuments.token(response(body)) }
        }
        let pair = "<userid>u</userid><password>p</password>"
        for inside in [
            pair + "<Error status='notentitled'/>", pair + "<ERROR/>", pair + "not entitled", pair + pair,
            "<userid>u<x/></userid><password>p</password>", pair + "<?x?>",
        ] {
            #expect(throws: PugpigFailure.unexpectedDocument, "\(inside)") {
                try PugpigDocuments.verdict(response("<credentials>\(inside)</credentials>"))
            }
        }
    }

    private func expectOutage(_ response: OutboundResponse, sourceLocation: SourceLocation = #_sourceLocation) {
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(throws: PugpigFailure.self, "\(text)", sourceLocation: sourceLocation) {
            try PugpigDocuments.token(response)
        }
        #expect(throws: PugpigFailure.self, "\(text)", sourceLocation: sourceLocation) {
            try PugpigDocuments.subscription(response)
        }
        #expect(throws: PugpigFailure.self, "\(text)", sourceLocation: sourceLocation) {
            try PugpigDocuments.verdict(response)
        }
    }

    @Test("No damaged document opens more than the whole one")
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
            let response = OutboundResponse(status: 200, headers: [], body: bytes)
            if let reported = try? PugpigDocuments.subscription(response) {
                guard reported.entitlement != .allEditions else {
                    Issue.record("\(String(decoding: bytes, as: UTF8.self))")
                    return
                }
            }
        }
    }

    @Test("A session survives the round trip through its text")
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
