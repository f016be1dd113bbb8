//! What the HTML tree builder makes of a page: a tree of elements and text, and nothing else.
//!
//! Nodes lie in one vector and name each other by number, so that a page of many small elements takes little memory
//! and going through it needs no recursion. Comments, doctypes and most attributes are dropped: no reader sees them.

use std::{
    borrow::Cow,
    cell::{Cell, Ref, RefCell},
};

use html5ever::{
    Attribute, LocalName, QualName,
    interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink},
    ns,
    tendril::StrTendril,
};

use super::marks::Marks;

/// The number of no node.
const NONE: u32 = u32::MAX;
/// The page as a whole.
pub(super) const ROOT: u32 = 0;

pub(super) struct Node {
    parent: u32,
    before: u32,
    after: u32,
    first: u32,
    last: u32,
    depth: u32,
    pub(super) content: Content,
}

pub(super) enum Content {
    Element(QualName, Option<Box<Marks>>),
    Text(StrTendril),
    /// The document itself, a comment or an instruction.
    Nothing,
}

/// Where a walk through the page is.
pub(super) enum Edge<'a> {
    Open(u32, &'a Content),
    Close(u32, &'a Content),
}

pub(super) struct Page {
    nodes: RefCell<Vec<Node>>,
    /// The name of nodes that are not elements.
    nameless: RefCell<QualName>,
    depth_max: Cell<u32>,
    modified: RefCell<Option<Option<String>>>,
}

impl Page {
    pub(super) fn new() -> Self {
        let page = Self {
            nodes: RefCell::default(),
            nameless: RefCell::new(QualName::new(None, ns!(), LocalName::from(""))),
            depth_max: Cell::new(0),
            modified: RefCell::default(),
        };
        page.add(Content::Nothing);
        page
    }

    /// How many nodes there are.
    pub(super) fn nodes_count(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// How deep the deepest node was when it was put into the tree.
    pub(super) fn depth_max(&self) -> u32 {
        self.depth_max.get()
    }

    /// The day the page says it was last changed.
    pub(super) fn modified(&self) -> Option<String> {
        self.modified.borrow().clone().flatten()
    }

    /// The words of the first element of this name.
    pub(super) fn words_of(&self, name: &str) -> Option<String> {
        let mut element = None;
        self.walk(ROOT, |edge| {
            if let Edge::Open(node, Content::Element(own, _)) = edge
                && element.is_none()
                && *own.local == *name
            {
                element = Some(node);
            }
        });
        let mut words = String::new();
        self.walk(element?, |edge| {
            if let Edge::Open(_, Content::Text(text)) = edge {
                for word in text.split_whitespace() {
                    if !words.is_empty() {
                        words.push(' ');
                    }
                    words.push_str(word);
                }
            }
        });
        Some(words).filter(|words| !words.is_empty())
    }

    /// Goes through a node and everything below it.
    pub(super) fn walk(&self, from: u32, mut visit: impl FnMut(Edge<'_>)) {
        let nodes = self.nodes.borrow();
        let at = |number: u32| nodes.get(number as usize);
        let mut number = from;
        loop {
            let Some(node) = at(number) else { return };
            visit(Edge::Open(number, &node.content));
            if at(node.first).is_some() {
                number = node.first;
                continue;
            }
            let mut open = node;
            loop {
                visit(Edge::Close(number, &open.content));
                if number == from {
                    return;
                }
                if at(open.after).is_some() {
                    number = open.after;
                    break;
                }
                number = open.parent;
                let Some(parent) = at(number) else { return };
                open = parent;
            }
        }
    }

    fn add(&self, content: Content) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let number = u32::try_from(nodes.len()).unwrap_or(NONE);
        nodes.push(Node { parent: NONE, before: NONE, after: NONE, first: NONE, last: NONE, depth: 0, content });
        number
    }

    /// Reads a node; nothing if there is none.
    fn look<T>(&self, number: u32, read: impl FnOnce(&Node) -> T) -> Option<T> {
        self.nodes.borrow().get(number as usize).map(read)
    }

    fn change(&self, number: u32, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.borrow_mut().get_mut(number as usize) {
            change(node);
        }
    }

    fn detach(&self, number: u32) {
        let Some((parent, before, after)) = self.look(number, |node| (node.parent, node.before, node.after)) else {
            return;
        };
        self.change(before, |node| node.after = after);
        self.change(after, |node| node.before = before);
        self.change(parent, |node| {
            if node.first == number {
                node.first = after;
            }
            if node.last == number {
                node.last = before;
            }
        });
        self.change(number, |node| (node.parent, node.before, node.after) = (NONE, NONE, NONE));
    }

    /// Puts a node below a parent, before one of its children or as the last.
    fn attach(&self, number: u32, parent: u32, next: u32) {
        self.detach(number);
        let depth = self.look(parent, |node| node.depth).unwrap_or(0) + 1;
        let before = match self.look(next, |node| node.before) {
            Some(before) => before,
            None => self.look(parent, |node| node.last).unwrap_or(NONE),
        };
        self.change(number, |node| {
            (node.parent, node.before, node.after, node.depth) = (parent, before, next, depth);
        });
        self.change(before, |node| node.after = number);
        self.change(next, |node| node.before = number);
        self.change(parent, |node| {
            if before == NONE {
                node.first = number;
            }
            if next == NONE {
                node.last = number;
            }
        });
        self.depth_max.set(self.depth_max.get().max(depth));
    }

    /// Adds to the text after which more is put, or puts a new one there.
    fn attach_text(&self, text: &StrTendril, parent: u32, next: u32) {
        let before = match self.look(next, |node| node.before) {
            Some(before) => before,
            None => self.look(parent, |node| node.last).unwrap_or(NONE),
        };
        let mut is_joined = false;
        self.change(before, |node| {
            if let Content::Text(said) = &mut node.content {
                said.push_tendril(text);
                is_joined = true;
            }
        });
        if !is_joined {
            let number = self.add(Content::Text(text.clone()));
            self.attach(number, parent, next);
        }
    }

    fn put(&self, child: NodeOrText<u32>, parent: u32, next: u32) {
        match child {
            NodeOrText::AppendNode(number) => self.attach(number, parent, next),
            NodeOrText::AppendText(text) => self.attach_text(&text, parent, next),
        }
    }
}

impl TreeSink for Page {
    type Handle = u32;
    type Output = Self;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Ref<'a, QualName> {
        let name = Ref::filter_map(self.nodes.borrow(), |nodes| match nodes.get(*target as usize)?.content {
            Content::Element(ref name, _) => Some(name),
            Content::Text(_) | Content::Nothing => None,
        });
        name.unwrap_or_else(|_| self.nameless.borrow())
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> u32 {
        if &*name.local == "meta" && self.modified.borrow().is_none() {
            let value = |wanted: &str| attributes.iter().find(|one| *one.name.local == *wanted).map(|one| &*one.value);
            let is_date = value("property") == Some("article:modified_time") || value("name") == Some("last-modified");
            if is_date {
                *self.modified.borrow_mut() = Some(value("content").map(str::to_owned));
            }
        }
        self.add(Content::Element(name, Marks::of(&attributes)))
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        self.add(Content::Nothing)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        self.add(Content::Nothing)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.put(child, *parent, NONE);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        match self.look(*element, |node| node.parent) {
            Some(parent) if parent != NONE => self.put(child, parent, *element),
            Some(_) | None => self.put(child, *previous, NONE),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// A template's children are its own here: all of it is silent.
    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn same_node(&self, one: &u32, other: &u32) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        if let NodeOrText::AppendNode(number) = child {
            self.detach(number);
        }
        if let Some(parent) = self.look(*sibling, |node| node.parent).filter(|parent| *parent != NONE) {
            self.put(child, parent, *sibling);
        }
    }

    fn add_attrs_if_missing(&self, _: &u32, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &u32) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        while let Some(child) = self.look(*node, |node| node.first).filter(|child| *child != NONE) {
            self.attach(child, *new_parent, NONE);
        }
    }
}
